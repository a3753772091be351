/* SPDX-License-Identifier: MIT
 *
 * Draws every vertex and fragment shader of the corpus on the driver and on the reference, and compares the images.
 *
 *   api_corpus CORPUS [NAME]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "corpus_pipeline.h"
#include "vkt.h"

#define SIZE_PX  32
#define VERTICES 15

static struct corpus corpus;

/* ---------------------------------------------------------------- resources */

#define IMAGES 23

/* The resources that shaders find at their bindings, created once per device. */
struct resources {
    struct corpus_common common;
    struct vkt_buffer vertices, texels;
    VkBufferView texel_views[3];
    struct vkt_image images[IMAGES + 3]; /* binding 15 is an array of four: the last three follow all others */
    VkSampler linear, nearest, compare;
    struct vkt_image inputs[2];
};

static struct resources device_resources[2];
static bool has_resources[2];

static uint8_t texel(uint32_t seed, uint32_t i)
{
    uint32_t x = i * 0x9e3779b9u + seed * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return (uint8_t)(x >> 13);
}

static struct vkt_image_info image_info(uint32_t binding)
{
    struct vkt_image_info i = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                               .width = 8,
                               .height = 8,
                               .levels = 4,
                               .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    static const uint32_t lines = 1u << 0 | 1u << 4 | 1u << 16 | 1u << 17 | 1u << 19, volumes = 1u << 2 | 1u << 11;
    static const uint32_t arrays = 1u << 4 | 1u << 5 | 1u << 8 | 1u << 12 | 1u << 19,
                          cubes = 1u << 3 | 1u << 7 | 1u << 18;
    static const uint32_t depths = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 16 | 1u << 19 | 1u << 21;
    static const uint32_t ints = 1u << 9 | 1u << 12 | 1u << 18, uints = 1u << 10 | 1u << 11 | 1u << 17;
    if (binding >= IMAGES)
        return i;
    if (lines >> binding & 1)
        i.line = true, i.height = 1;
    if (volumes >> binding & 1)
        i.width = i.height = i.depth = 4, i.levels = 3;
    if (arrays >> binding & 1)
        i.array = true, i.layers = 4;
    i.cube = cubes >> binding & 1;
    if (depths >> binding & 1)
        i.format = VK_FORMAT_D16_UNORM;
    if (ints >> binding & 1)
        i.format = VK_FORMAT_R8G8B8A8_SINT;
    if (uints >> binding & 1)
        i.format = VK_FORMAT_R8G8B8A8_UINT;
    return i;
}

static bool has_features(struct vkt *t, VkFormat format, VkFormatFeatureFlags features)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return (properties.optimalTilingFeatures & features) == features;
}

/* True if the device can create and sample such images. */
static bool can_sample(struct vkt *t, const struct vkt_image_info *info)
{
    VkImageFormatProperties properties;
    VkImageType type = info->depth ? VK_IMAGE_TYPE_3D : info->line ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D;
    return has_features(t, info->format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) &&
           vkGetPhysicalDeviceImageFormatProperties(t->physical, info->format, type, VK_IMAGE_TILING_OPTIMAL,
                                                    info->usage, info->cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                                                    &properties) == VK_SUCCESS;
}

/* Returns an image without a view if the device does not support it. */
static struct vkt_image make_image(struct vkt *t, uint32_t binding)
{
    uint8_t bytes[8 * 8 * 4];
    const struct vkt_image_info info = image_info(binding);
    if (!can_sample(t, &info))
        return (struct vkt_image){0};
    struct vkt_image image = vkt_image_create(t, &info);
    uint32_t texel_B = info.format == VK_FORMAT_D16_UNORM ? 2 : 4;
    for (uint32_t level = 0; level < image.levels; level++) {
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            for (uint32_t i = 0; i < sizeof bytes; i++)
                bytes[i] = texel(binding * 64 + level * 8 + layer, i);
            uint32_t width = image.width >> level, height = image.height >> level, depth = image.depth >> level;
            uint32_t count = (width ? width : 1) * (height ? height : 1) * (depth ? depth : 1);
            vkt_image_upload(t, &image, level, layer, bytes, count * texel_B);
        }
    }
    return image;
}

static VkSampler make_sampler(struct vkt *t, VkFilter filter, VkBool32 compare)
{
    VkSampler sampler;
    vkt_ok(vkCreateSampler(t->device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .magFilter = filter,
                                                  .minFilter = filter,
                                                  .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                  .compareEnable = compare,
                                                  .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                                  .maxLod = 8},
                           NULL, &sampler));
    return sampler;
}

static void make_buffers(struct vkt *t, struct resources *w)
{
    static const VkFormat formats[3] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R8G8B8A8_UINT};
    uint32_t vertices[VERTICES][CORPUS_ATTRIBUTES][4];
    uint8_t texels[128];
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t a = 0; a < CORPUS_ATTRIBUTES; a++)
            for (uint32_t c = 0; c < 4; c++)
                vertices[i][a][c] = glsl_input(a, c, i);
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = texel(99, i);
    w->vertices = vkt_buffer_create(t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    w->texels = vkt_buffer_create(t, sizeof texels, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, texels);
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(vkCreateBufferView(t->device,
                                  &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                            .buffer = w->texels.buffer,
                                                            .format = formats[i],
                                                            .range = VK_WHOLE_SIZE},
                                  NULL, &w->texel_views[i]));
}

static void make_inputs(struct vkt *t, struct resources *w)
{
    static uint8_t bytes[SIZE_PX * SIZE_PX * 4];
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < sizeof bytes; i++)
            bytes[i] = texel(200 + k, i);
        if (!has_features(t, k ? VK_FORMAT_R8G8B8A8_UINT : VK_FORMAT_R8G8B8A8_UNORM,
                          VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
            continue;
        w->inputs[k] = vkt_image_create(
            t, &(struct vkt_image_info){.format = k ? VK_FORMAT_R8G8B8A8_UINT : VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = SIZE_PX,
                                        .height = SIZE_PX,
                                        .usage = VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        vkt_image_upload(t, &w->inputs[k], 0, 0, bytes, sizeof bytes);
    }
}

static struct resources *resources(enum vkt_which which)
{
    struct vkt *t = vkt_device(which);
    struct resources *w = &device_resources[which];
    if (has_resources[which])
        return w;
    has_resources[which] = true;
    vkt_ok(corpus_common_init(t->device, &w->common));
    for (uint32_t i = 0; i < VKT_COUNT(w->images); i++)
        w->images[i] = make_image(t, i);
    w->linear = make_sampler(t, VK_FILTER_LINEAR, VK_FALSE);
    w->nearest = make_sampler(t, VK_FILTER_NEAREST, VK_FALSE);
    w->compare = make_sampler(t, VK_FILTER_NEAREST, VK_TRUE);
    make_buffers(t, w);
    make_inputs(t, w);
    return w;
}

static void resources_destroy(enum vkt_which which)
{
    struct vkt *t = vkt_device(which);
    struct resources *w = &device_resources[which];
    for (uint32_t i = 0; i < VKT_COUNT(w->images); i++)
        vkt_image_destroy(t, &w->images[i]);
    for (uint32_t i = 0; i < 3; i++)
        vkDestroyBufferView(t->device, w->texel_views[i], NULL);
    vkt_buffer_destroy(t, &w->vertices);
    vkt_buffer_destroy(t, &w->texels);
    vkt_image_destroy(t, &w->inputs[0]);
    vkt_image_destroy(t, &w->inputs[1]);
    vkDestroySampler(t->device, w->linear, NULL);
    vkDestroySampler(t->device, w->nearest, NULL);
    vkDestroySampler(t->device, w->compare, NULL);
    corpus_common_finish(t->device, &w->common);
}

/* ---------------------------------------------------------------- descriptors */

static VkSampler sampler_for(const struct resources *w, uint32_t binding)
{
    VkFormat format = image_info(binding).format;
    bool compares = binding == 22 || (format == VK_FORMAT_D16_UNORM && binding != 21);
    return compares ? w->compare : format == VK_FORMAT_R8G8B8A8_UNORM ? w->linear : w->nearest;
}

static void write_binding(struct vkt *t, const struct resources *w, VkDescriptorSet set, uint32_t number,
                          uint32_t binding, const struct vkt_buffer *words)
{
    VkDescriptorImageInfo images[4];
    const VkDescriptorBufferInfo buffer = {words->buffer, 0, words->size_B};
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = corpus_descriptor_count(number, binding),
        .descriptorType = corpus_descriptor_type(number, binding),
        .pImageInfo = images,
        .pBufferInfo = &buffer,
        .pTexelBufferView = number == 0 && binding >= 2 ? &w->texel_views[binding - 2] : NULL,
    };
    for (uint32_t i = 0; i < write.descriptorCount; i++) {
        const struct vkt_image *image = number == 2 ? &w->inputs[binding] : &w->images[i ? IMAGES + i - 1 : binding];
        images[i] = (VkDescriptorImageInfo){number == 1 ? sampler_for(w, binding) : VK_NULL_HANDLE, image->view,
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

static void bind_sets(struct vkt *t, VkCommandBuffer cmd, const struct resources *w, const struct corpus_layout *l,
                      const struct vkt_buffer *words)
{
    for (uint32_t s = 0; s < CORPUS_SETS; s++) {
        VkDescriptorSet set = vkt_set_alloc(t, l->sets[s]);
        for (uint32_t b = 0; b < 32; b++)
            if (l->bindings[s] >> b & 1)
                write_binding(t, w, set, s, b, words);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, l->layout, s, 1, &set, 0, NULL);
    }
}

/* True if all resources that the shader uses exist and its colour format can be rendered to. */
static bool can_draw(struct vkt *t, const struct resources *w, const struct corpus_layout *l,
                     const struct corpus_shader *s)
{
    enum corpus_type type = s->stage == CORPUS_FRAG ? s->type : CORPUS_FLOAT;
    if (!has_features(t, corpus_color_format(type), VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
        return false;
    for (uint32_t b = 0; b < IMAGES; b++)
        if (l->bindings[1] >> b & 1 && b != 14 && b != 22 && !w->images[b].view)
            return false;
    return !corpus_reads_attachments(s) || w->inputs[type == CORPUS_UINT].view;
}

/* ---------------------------------------------------------------- drawing */

struct target {
    struct vkt_image color;
    VkFramebuffer framebuffer;
};

static struct target make_target(struct vkt *t, const struct resources *w, const struct corpus_shader *s)
{
    struct target target;
    enum corpus_type type = s->stage == CORPUS_FRAG ? s->type : CORPUS_FLOAT;
    target.color = vkt_image_create(
        t, &(struct vkt_image_info){.format = corpus_color_format(type),
                                    .width = SIZE_PX,
                                    .height = SIZE_PX,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    const VkImageView views[CORPUS_ATTACHMENTS] = {target.color.view, w->inputs[type == CORPUS_UINT].view};
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = corpus_pass(&w->common, s),
                                   .attachmentCount = corpus_reads_attachments(s) ? CORPUS_ATTACHMENTS : 1,
                                   .pAttachments = views,
                                   .width = SIZE_PX,
                                   .height = SIZE_PX,
                                   .layers = 1,
                               },
                               NULL, &target.framebuffer));
    return target;
}

static void record(struct vkt *t, VkCommandBuffer cmd, const struct resources *w, const struct corpus_shader *s,
                   const struct corpus_layout *l, VkPipeline pipeline, VkFramebuffer framebuffer)
{
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = corpus_pass(&w->common, s),
        .framebuffer = framebuffer,
        .renderArea = {{0, 0}, {SIZE_PX, SIZE_PX}},
        .clearValueCount = 1,
        .pClearValues = &(VkClearValue){.color.uint32 = {0}},
    };
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdPushConstants(cmd, l->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, CORPUS_PUSH_B,
                       s->expected.push);
    if (s->stage == CORPUS_VERT)
        vkCmdBindVertexBuffers(cmd, 0, 1, &w->vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, s->stage == CORPUS_VERT ? VERTICES : 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

/* Returns the pixels, or NULL: the device cannot create the pipeline, or does not support the formats (*missing). */
static uint8_t *draw(enum vkt_which which, const struct corpus_shader *s, bool *missing)
{
    struct vkt *t = vkt_device(which);
    struct resources *w = resources(which);
    struct corpus_layout l;
    VkShaderModule module;
    VkPipeline pipeline;
    uint8_t *pixels = NULL;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = s->size_B, .pCode = s->words};
    if (vkCreateShaderModule(t->device, &info, NULL, &module) != VK_SUCCESS)
        return NULL;
    vkt_ok(corpus_layout_init(t->device, s, &l));
    *missing = !can_draw(t, w, &l, s);
    if (!*missing && corpus_pipeline_create(t->device, &w->common, &l, s, module, SIZE_PX, &pipeline) == VK_SUCCESS) {
        struct vkt_buffer words = vkt_buffer_create(
            t, sizeof s->expected.buffer, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
            s->expected.buffer);
        struct target target = make_target(t, w, s);
        VkCommandBuffer cmd = vkt_begin(t);
        bind_sets(t, cmd, w, &l, &words);
        record(t, cmd, w, s, &l, pipeline, target.framebuffer);
        vkt_end_submit(t, cmd);
        pixels = malloc(SIZE_PX * SIZE_PX * 4);
        vkt_read_image(t, &target.color, 0, 0, pixels, SIZE_PX * SIZE_PX * 4);
        vkDestroyFramebuffer(t->device, target.framebuffer, NULL);
        vkt_image_destroy(t, &target.color);
        vkt_buffer_destroy(t, &words);
        vkDestroyPipeline(t->device, pipeline, NULL);
        vkResetDescriptorPool(t->device, t->descriptors, 0);
    }
    corpus_layout_finish(t->device, &l);
    vkDestroyShaderModule(t->device, module, NULL);
    return pixels;
}

/* ---------------------------------------------------------------- comparing */

/* Pixels per thousand that may differ, at edges of triangles and where a filter or a level changes. */
static unsigned allowed_permille(const struct corpus_shader *s)
{
    return s->stage == CORPUS_VERT ? 40 : 8;
}

/* Why the running case compares nothing; vkt_skip_because() prints it after the case has ended. */
static char skip_reason[200];

static void one_shader(void **state)
{
    const struct corpus_shader *s = *state;
    bool missing = false, theirs_missing = false;
    uint8_t *ours = draw(VKT_TESTED, s, &missing);
    uint8_t *theirs = ours && !s->expected.differs[0] ? draw(VKT_REFERENCE, s, &theirs_missing) : NULL;
    const bool is_compared = ours && theirs;
    if (is_compared) {
        struct vkt_picture want = {SIZE_PX, SIZE_PX, theirs}, got = {SIZE_PX, SIZE_PX, ours};
        vkt_compare(s->name, &want, &got, (struct vkt_tolerance){2, allowed_permille(s)});
    }
    free(theirs);
    free(ours);
    if (is_compared)
        return;
    snprintf(skip_reason, sizeof skip_reason, "%s: %s",
             ours ? "drawn, not compared" : "not drawn",
             s->expected.differs[0] && ours ? s->expected.differs
             : missing                      ? "the driver lacks a format"
             : theirs_missing               ? "the reference lacks a format"
             : ours                         ? "the reference does not draw it"
             : s->expected.todo[0]          ? s->expected.todo
                                            : s->expected.cpu);
    if (!ours && !missing && !s->expected.todo[0] && !s->expected.cpu[0])
        fail_msg("%s is not drawn", s->name);
    vkt_skip_because(s->name, skip_reason);
    skip();
}

static int teardown(void **state)
{
    for (int which = 0; which < 2; which++)
        if (has_resources[which])
            resources_destroy((enum vkt_which)which);
    corpus_free(&corpus);
    return vkt_teardown(state);
}

int main(int argc, char **argv)
{
    setenv("VKT_NO_VALIDATION", "1", 1); /* the layer rejects stages whose interfaces do not match, as here */
    if (argc < 2 || !corpus_read(&corpus, argv[1]))
        return 2;
    struct CMUnitTest *tests = calloc(corpus.count, sizeof *tests);
    uint32_t count = 0;
    for (uint32_t i = 0; i < corpus.count; i++)
        if (corpus.shaders[i].stage != CORPUS_COMP && (argc < 3 || strstr(corpus.shaders[i].name, argv[2])))
            tests[count++] = (struct CMUnitTest){corpus.shaders[i].name, one_shader, NULL, NULL, &corpus.shaders[i]};
    int failed = _cmocka_run_group_tests("corpus", tests, count, NULL, teardown);
    free(tests);
    return failed;
}
