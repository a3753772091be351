/* SPDX-License-Identifier: MIT
 *
 * Surface states: the texture words of views and samplers, their sampling classes, border colours, base levels and
 * cubes.
 */
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "harness.h"

struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

struct image_case {
    VkFormat format;
    uint32_t size_px, levels, layers;
    VkImageViewType type;
    uint32_t base_level, base_layer, view_levels;
    VkComponentMapping mapping;
};

static struct image make_image(const struct harness *h, const struct image_case *c)
{
    struct image i;
    VkMemoryRequirements needs;
    uint32_t layers = c->layers ? c->layers : 1, levels = c->levels ? c->levels : 1;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = c->type == VK_IMAGE_VIEW_TYPE_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = c->format,
        .extent = {c->size_px, c->size_px, 1},
        .mipLevels = levels,
        .arrayLayers = layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &i.image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, i.image, &needs);
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = needs.size + needs.alignment};
    assert_int_equal(vc4vk_AllocateMemory(h->device, &alloc, NULL, &i.memory), VK_SUCCESS);
    assert_int_equal(vc4vk_BindImageMemory(h->device, i.image, i.memory, needs.alignment), VK_SUCCESS);
    const VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = i.image,
        .viewType = c->type,
        .format = c->format,
        .components = c->mapping,
        .subresourceRange = {vc4vk_format(c->format)->aspects, c->base_level,
                             c->view_levels ? c->view_levels : VK_REMAINING_MIP_LEVELS, c->base_layer,
                             c->type == VK_IMAGE_VIEW_TYPE_CUBE ? 6 : 1},
    };
    assert_int_equal(vc4vk_CreateImageView(h->device, &view_info, NULL, &i.view), VK_SUCCESS);
    return i;
}

static void destroy_image(const struct harness *h, const struct image *i)
{
    vc4vk_DestroyImageView(h->device, i->view, NULL);
    vc4vk_DestroyImage(h->device, i->image, NULL);
    vc4vk_FreeMemory(h->device, i->memory, NULL);
}

static const struct vc4vk_surface_state *state_of(const struct image *i)
{
    return vc4vk_image_view_from_handle(i->view)->sampled.map;
}

static VkSampler make_sampler(const struct harness *h, const VkSamplerCreateInfo *wanted)
{
    VkSamplerCreateInfo info = *wanted;
    VkSampler sampler;
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    assert_int_equal(vc4vk_CreateSampler(h->device, &info, NULL, &sampler), VK_SUCCESS);
    return sampler;
}

static const struct vc4vk_surface_state *sampler_state(VkSampler sampler)
{
    return vc4vk_sampler_from_handle(sampler)->state.map;
}

static void words_of_a_plain_texture(void **state)
{
    const struct harness *h = *state;
    struct image i = make_image(
        h, &(struct image_case){
               .format = VK_FORMAT_R8G8B8A8_UNORM, .size_px = 2048, .levels = 3, .type = VK_IMAGE_VIEW_TYPE_2D});
    VkSampler linear = make_sampler(h, &(VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR,
                                                              .minFilter = VK_FILTER_LINEAR,
                                                              .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                              .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                                              .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                              .maxLod = VK_LOD_CLAMP_NONE});
    const struct vc4vk_surface_state *view = state_of(&i), *sampler = sampler_state(linear);
    const struct hw_layout *layout = &vc4vk_image_from_handle(i.image)->planes[0].layout;
    uint32_t base_B = 4096 + layout->level[0].offset_B;
    assert_int_equal(base_B % 4096, 0);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_P0, 0), base_B | 2);
    /* A size of 2048 is encoded as 0; LIN_MIP_NEAR; T clamps, S mirrors. */
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_P1, 0), HW_MIN_LIN_MIP_NEAR << 4 | 1 << 2 | 2);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_P1, VC4VK_P1_NEAREST),
                     1 << 7 | HW_MIN_NEAREST << 4 | 1 << 2 | 2);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_P1, VC4VK_P1_NEAREST | VC4VK_P1_LEVELS),
                     1 << 7 | HW_MIN_NEAR_MIP_NEAR << 4 | 1 << 2 | 2);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_P2_LOD, 1), 1u << 30 | 1);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_WIDTH_I, 2), 512);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_LEVELS_I, 0), 3);
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_RCP_WIDTH_F, 0), util_fui(1.0f / 2048));
    assert_int_equal(vc4vk_tex_word(view, sampler, VC4VK_TEX_MIP_LINEAR_I, 0), 0);
    struct hw_sampling_class class = vc4vk_sampling_class(view, sampler, 0);
    assert_int_equal(class.method, HW_SAMPLE_NATIVE);
    assert_int_equal(class.flags, 0);
    assert_int_equal(class.format, HW_FORMAT_R8G8B8A8_UNORM);
    for (uint32_t c = 0; c < 4; c++)
        assert_int_equal(class.swizzle[c], c);
    vc4vk_DestroySampler(h->device, linear, NULL);
    destroy_image(h, &i);
}

/* The swizzles of format and view are combined. Equal results have equal bytes, so that programs are shared. */
static void swizzles(void **state)
{
    const struct harness *h = *state;
    static const struct {
        VkFormat format;
        VkComponentMapping mapping;
        uint8_t expected[4];
    } cases[] = {
        {VK_FORMAT_B8G8R8A8_UNORM, {0}, {HW_SWIZZLE_Z, HW_SWIZZLE_Y, HW_SWIZZLE_X, HW_SWIZZLE_W}},
        {VK_FORMAT_R8_UNORM, {0}, {HW_SWIZZLE_W, HW_SWIZZLE_0, HW_SWIZZLE_0, HW_SWIZZLE_1}},
        {VK_FORMAT_R8_UNORM,
         {VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R},
         {HW_SWIZZLE_1, HW_SWIZZLE_W, HW_SWIZZLE_0, HW_SWIZZLE_W}},
        {VK_FORMAT_R8G8_UNORM,
         {VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_A},
         {HW_SWIZZLE_W, HW_SWIZZLE_W, HW_SWIZZLE_0, HW_SWIZZLE_1}},
        {VK_FORMAT_R5G6B5_UNORM_PACK16, {0}, {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_1}},
    };
    for (uint32_t n = 0; n < ARRAY_SIZE(cases); n++) {
        struct image i = make_image(h, &(struct image_case){.format = cases[n].format,
                                                            .size_px = 16,
                                                            .type = VK_IMAGE_VIEW_TYPE_2D,
                                                            .mapping = cases[n].mapping});
        struct hw_sampling_class class = vc4vk_sampling_class(state_of(&i), NULL, VC4VK_LOOKUP_FETCH_ONLY);
        assert_memory_equal(class.swizzle, cases[n].expected, 4);
        destroy_image(h, &i);
    }
}

/* The TMU counts levels from the one P0 points to: the view's base level if it is page-aligned, else level 0. */
static void base_levels_and_clamps(void **state)
{
    const struct harness *h = *state;
    struct image_case c = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                           .size_px = 96, /* not a power of two: levels are padded to a larger size */
                           .levels = 5,
                           .type = VK_IMAGE_VIEW_TYPE_2D,
                           .base_level = 2,
                           .view_levels = 2};
    struct image i = make_image(h, &c);
    VkSampler sampler = make_sampler(h, &(VkSamplerCreateInfo){.minLod = 0.5f, .maxLod = 7});
    const struct vc4vk_surface_state *v = state_of(&i), *s = sampler_state(sampler);
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_P0, 0) & 0xf, 3);
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_P1, 0) >> 8 & 0x7ff, 96);
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_WIDTH_F, 0), util_fui(24));
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_LOD_MIN_F, 0), util_fui(2.5f));
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_LOD_MAX_F, 0), util_fui(9));
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_BASE_LEVEL_F, 0), util_fui(2));
    assert_int_equal(vc4vk_sampling_class(v, s, 0).flags, HW_SAMPLING_LOD_CLAMP);
    assert_int_equal(vc4vk_sampling_class(v, NULL, VC4VK_LOOKUP_FETCH_ONLY).flags, HW_SAMPLING_LOD_CLAMP);
    destroy_image(h, &i);

    c.size_px = 256; /* level 2 is 64 x 64: T tiles */
    i = make_image(h, &c);
    v = state_of(&i);
    const struct hw_layout *layout = &vc4vk_image_from_handle(i.image)->planes[0].layout;
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_P0, 0), (4096 + layout->level[2].offset_B) | 1);
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_P1, 0) >> 8 & 0x7ff, 64);
    assert_int_equal(vc4vk_tex_word(v, s, VC4VK_TEX_BASE_LEVEL_F, 0), util_fui(0));
    assert_int_equal(vc4vk_sampling_class(v, NULL, VC4VK_LOOKUP_FETCH_ONLY).flags, 0);
    destroy_image(h, &i);

    /* With one level and one filter no LOD clamp is needed: the common case. */
    i = make_image(
        h, &(struct image_case){.format = VK_FORMAT_R8G8B8A8_UNORM, .size_px = 64, .type = VK_IMAGE_VIEW_TYPE_2D});
    assert_int_equal(vc4vk_sampling_class(state_of(&i), s, 0).flags, 0);
    destroy_image(h, &i);
    vc4vk_DestroySampler(h->device, sampler, NULL);
}

static void cubes_and_layers(void **state)
{
    const struct harness *h = *state;
    struct image_case c = {
        .format = VK_FORMAT_R8G8B8A8_UNORM, .size_px = 64, .levels = 7, .layers = 6, .type = VK_IMAGE_VIEW_TYPE_CUBE};
    struct image i = make_image(h, &c);
    uint32_t stride_B = vc4vk_image_from_handle(i.image)->planes[0].layout.layer_stride_B;
    assert_int_equal(vc4vk_tex_word(state_of(&i), NULL, VC4VK_TEX_P0, 0) & 1u << 9, 1u << 9);
    assert_int_equal(vc4vk_tex_word(state_of(&i), NULL, VC4VK_TEX_P2_LOD, 0), 1u << 30 | stride_B);
    uint32_t base_B = vc4vk_tex_word(state_of(&i), NULL, VC4VK_TEX_P0, 0) & ~0xfffu;
    destroy_image(h, &i);
    c.type = VK_IMAGE_VIEW_TYPE_2D;
    c.base_layer = 4;
    i = make_image(h, &c);
    assert_int_equal(vc4vk_tex_word(state_of(&i), NULL, VC4VK_TEX_P0, 0) & ~0xfffu, base_B + 4 * stride_B);
    /* Images with several layers have the LT layout, which the program addresses itself, unless the TMU expects LT for
     * that size too. */
    assert_int_equal(vc4vk_sampling_class(state_of(&i), NULL, VC4VK_LOOKUP_FETCH_ONLY).method, HW_SAMPLE_DIRECT);
    assert_int_equal(vc4vk_sampling_class(state_of(&i), NULL, VC4VK_LOOKUP_FETCH_ONLY).layout, HW_DIRECT_LT);
    destroy_image(h, &i);
    c.size_px = 16;
    c.levels = 5;
    i = make_image(h, &c);
    assert_int_equal(vc4vk_sampling_class(state_of(&i), NULL, VC4VK_LOOKUP_FETCH_ONLY).method, HW_SAMPLE_NATIVE);
    destroy_image(h, &i);
}

static void borders(void **state)
{
    const struct harness *h = *state;
    static const struct {
        VkFormat format;
        uint32_t black, white; /* opaque */
    } cases[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, 0xff000000, 0xffffffff},
        {VK_FORMAT_B8G8R8A8_UNORM, 0xff000000, 0xffffffff},
        {VK_FORMAT_R8_UNORM, 0, 0xff000000},
        {VK_FORMAT_R8G8_UNORM, 0, 0xff0000ff},
        {VK_FORMAT_R4G4B4A4_UNORM_PACK16, 0xff000000, 0xffffffff},
    };
    VkSamplerCreateInfo info = {.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK};
    VkSampler black = make_sampler(h, &info);
    info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    VkSampler white = make_sampler(h, &info);
    for (uint32_t n = 0; n < ARRAY_SIZE(cases); n++) {
        struct image i =
            make_image(h, &(struct image_case){.format = cases[n].format, .size_px = 8, .type = VK_IMAGE_VIEW_TYPE_2D});
        assert_int_equal(vc4vk_tex_word(state_of(&i), sampler_state(black), VC4VK_TEX_BORDER, 0), cases[n].black);
        assert_int_equal(vc4vk_tex_word(state_of(&i), sampler_state(white), VC4VK_TEX_BORDER, 0), cases[n].white);
        assert_int_equal(vc4vk_sampling_class(state_of(&i), sampler_state(black), 0).flags, HW_SAMPLING_BORDER);
        destroy_image(h, &i);
    }
    vc4vk_DestroySampler(h->device, black, NULL);
    vc4vk_DestroySampler(h->device, white, NULL);
}

/* A descriptor that was never written still gives words that the kernel accepts: one texel of some BO. */
static void null_states(void **state)
{
    static const struct vc4vk_surface_state null_state;
    assert_int_equal(vc4vk_tex_word(&null_state, &null_state, VC4VK_TEX_P0, 0), 0);
    assert_int_equal(vc4vk_tex_word(&null_state, &null_state, VC4VK_TEX_P1, 0) & 0x7ff7ff00, 1u << 20 | 1u << 8);
    assert_int_equal(vc4vk_sampling_class(&null_state, &null_state, 0).method, HW_SAMPLE_NATIVE);
    uint32_t size_B = 1;
    assert_null(vc4vk_buffer_contents(&null_state, &size_B));
    assert_int_equal(size_B, 0);
}

/* Vulkan clamps the depth-compare reference for normalised formats only. */
static void references_of_floats_are_not_clamped(void **state)
{
    static const struct {
        VkFormat format;
        bool is_float;
    } cases[] = {{VK_FORMAT_D32_SFLOAT, true}, {VK_FORMAT_D16_UNORM, false}, {VK_FORMAT_X8_D24_UNORM_PACK32, false}};
    const struct harness *h = *state;
    VkSampler sampler = make_sampler(h, &(VkSamplerCreateInfo){.compareEnable = VK_TRUE});
    VkSampler plain = make_sampler(h, &(VkSamplerCreateInfo){.maxLod = 0});
    for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct image image = make_image(h, &(struct image_case){.format = cases[i].format, .size_px = 8,
                                                                .type = VK_IMAGE_VIEW_TYPE_2D});
        struct hw_sampling_class compared = vc4vk_sampling_class(state_of(&image), sampler_state(sampler), 0);
        struct hw_sampling_class read = vc4vk_sampling_class(state_of(&image), sampler_state(plain), 0);
        assert_int_equal((compared.flags & HW_SAMPLING_FLOAT_DEPTH) != 0, cases[i].is_float);
        assert_false(read.flags & HW_SAMPLING_FLOAT_DEPTH);
        destroy_image(h, &image);
    }
    vc4vk_DestroySampler(h->device, sampler, NULL);
    vc4vk_DestroySampler(h->device, plain, NULL);
}

/* Views of a compressed image have a format of the same blocks: of the same bytes, width and height. */
static void views_have_blocks_of_one_size(void **state)
{
    const struct harness *h = *state;
    static const struct {
        VkFormat format;
        bool fits;
    } views[] = {
        {VK_FORMAT_ASTC_10x5_SRGB_BLOCK, true},  {VK_FORMAT_ASTC_10x6_UNORM_BLOCK, false},
        {VK_FORMAT_ASTC_8x5_UNORM_BLOCK, false}, {VK_FORMAT_BC3_UNORM_BLOCK, false},
        {VK_FORMAT_R32G32B32A32_UINT, false},
    };
    const struct image i = make_image(
        h,
        &(struct image_case){.format = VK_FORMAT_ASTC_10x5_UNORM_BLOCK, .size_px = 32, .type = VK_IMAGE_VIEW_TYPE_2D});
    for (uint32_t k = 0; k < ARRAY_SIZE(views); k++) {
        const VkImageViewCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = i.image,
            .viewType = VK_IMAGE_VIEW_TYPE_2D,
            .format = views[k].format,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
        };
        VkImageView view;
        const VkResult result = vc4vk_CreateImageView(h->device, &info, NULL, &view);
        assert_int_equal(result == VK_SUCCESS, views[k].fits);
        if (result == VK_SUCCESS)
            vc4vk_DestroyImageView(h->device, view, NULL);
    }
    destroy_image(h, &i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_of_floats_are_not_clamped),
        cmocka_unit_test(words_of_a_plain_texture),
        cmocka_unit_test(swizzles),
        cmocka_unit_test(base_levels_and_clamps),
        cmocka_unit_test(cubes_and_layers),
        cmocka_unit_test(borders),
        cmocka_unit_test(null_states),
        cmocka_unit_test(views_have_blocks_of_one_size),
    };
    return cmocka_run_group_tests_name("surface", tests, harness_set_up, harness_tear_down);
}
