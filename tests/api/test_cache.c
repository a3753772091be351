/* SPDX-License-Identifier: MIT
 *
 * Pipeline caches and the on-disk cache. A hit compiles nothing and draws the same image. Data that the application
 * reads and passes back is used; damaged and foreign data is ignored. Caches can be merged, and destroyed before their
 * pipelines.
 *
 * `api_cache child` is the second process of processes_share_the_folder.
 */
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util/hash.h"
#include "vkt.h"
#include "full.vert.h"
#include "push.frag.h"
#include "texture.frag.h"

#define W 32
#define H 32

extern char **environ;
static char folder[] = "/tmp/vc4vk-api-cache-XXXXXX";

/* ---------------------------------------------------------------- counts */

enum { COMPILED, IN_CACHE, ON_DISK };
/* Results of the compiler per pipeline: two interfaces and three programs. */
#define RESULTS 5

struct counts {
    uint64_t n[3];
};

static struct counts counts(struct vkt *t)
{
    struct counts c;
    ((void (*)(VkDevice, uint64_t *))vkt_hook(t, "vc4vk_test_cache_counts"))(t->device, c.n);
    return c;
}

#define expect_counts(t, before, compiled, in_cache, on_disk)                                                          \
    do {                                                                                                               \
        struct counts now = counts(t);                                                                                 \
        assert_int_equal(now.n[COMPILED] - (before).n[COMPILED], compiled);                                            \
        assert_int_equal(now.n[IN_CACHE] - (before).n[IN_CACHE], in_cache);                                            \
        assert_int_equal(now.n[ON_DISK] - (before).n[ON_DISK], on_disk);                                               \
    } while (0)

/* ---------------------------------------------------------------- scene */

struct scene {
    struct vkt_target target;
    VkDescriptorSetLayout set_layout;
    struct vkt_image image;
    VkSampler sampler;
    VkDescriptorSet set;
};

static void scene_open(struct vkt *t, struct scene *s, VkFormat texture)
{
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    uint32_t texels[64];
    for (uint32_t i = 0; i < 64; i++)
        texels[i] = i * 0x01030507u;
    s->target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s->set_layout = vkt_set_layout_create(t, &binding, 1);
    s->set = vkt_set_alloc(t, s->set_layout);
    s->image = vkt_image_create(
        t, &(struct vkt_image_info){.format = texture,
                                    .width = 8,
                                    .height = 8,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, &s->image, 0, 0, texels, sizeof texels);
    s->sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    vkt_set_texture(t, s->set, 0, s->image.view, s->sampler);
}

static void scene_close(struct vkt *t, struct scene *s)
{
    vkDestroySampler(t->device, s->sampler, NULL);
    vkt_image_destroy(t, &s->image);
    vkDestroyDescriptorSetLayout(t->device, s->set_layout, NULL);
    vkt_target_destroy(t, &s->target);
}

static struct vkt_pipeline try_make(struct vkt *t, struct scene *s, VkPipelineCache cache, bool textured, bool may_fail)
{
    return vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                       .fs = textured ? VKT_SHADER(texture_frag) : VKT_SHADER(push_frag),
                                       .pass = s->target.pass,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                       .width = W,
                                       .height = H,
                                       .set_layouts = {s->set_layout},
                                       .set_layout_count = 1,
                                       .push_size_B = 16,
                                       .cache = cache,
                                       .may_fail = may_fail});
}

static struct vkt_pipeline make(struct vkt *t, struct scene *s, VkPipelineCache cache, bool textured)
{
    return try_make(t, s, cache, textured, false);
}

static struct vkt_picture draw(struct vkt *t, struct scene *s, struct vkt_pipeline *p)
{
    static const float color[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &s->target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &s->set, 0, NULL);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, color);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    return vkt_read_target(t, &s->target);
}

static void expect_color(struct vkt *t, struct scene *s, struct vkt_pipeline *p)
{
    struct vkt_picture picture = draw(t, s, p);
    static const uint8_t want[4] = {51, 102, 153, 204};
    for (uint32_t i = 0; i < W * H; i++)
        assert_memory_equal(picture.rgba + 4 * i, want, 4);
    vkt_picture_free(&picture);
}

static VkPipelineCache cache_create(struct vkt *t, const void *data, size_t size_B)
{
    VkPipelineCache cache;
    vkt_ok(vkCreatePipelineCache(t->device,
                                 &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                                              .initialDataSize = size_B,
                                                              .pInitialData = data},
                                 NULL, &cache));
    return cache;
}

static void *cache_data(struct vkt *t, VkPipelineCache cache, size_t *size_B)
{
    vkt_ok(vkGetPipelineCacheData(t->device, cache, size_B, NULL));
    void *data = malloc(*size_B);
    vkt_ok(vkGetPipelineCacheData(t->device, cache, size_B, data));
    return data;
}

/* Creates a pipeline with a cache of this data and draws with it. Returns the number of results that had to be
 * compiled. */
static uint64_t compiled_with_data(struct vkt *t, struct scene *s, const void *data, size_t size_B)
{
    struct counts before = counts(t);
    VkPipelineCache cache = cache_create(t, data, size_B);
    struct vkt_pipeline p = make(t, s, cache, false);
    uint64_t compiled = counts(t).n[COMPILED] - before.n[COMPILED];
    expect_color(t, s, &p);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);
    return compiled;
}

/* ---------------------------------------------------------------- VkPipelineCache */

static void a_hit_compiles_nothing(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct counts before = counts(t);
    struct vkt_pipeline first = make(t, &s, cache, false);
    expect_counts(t, before, RESULTS, 0, 0);
    before = counts(t);
    struct vkt_pipeline second = make(t, &s, cache, false);
    expect_counts(t, before, 0, RESULTS, 0);
    expect_color(t, &s, &second);
    before = counts(t);
    struct vkt_pipeline other = make(t, &s, cache, true); /* hits only the interface of the vertex stage */
    expect_counts(t, before, 4, 1, 0);
    vkt_pipeline_destroy(t, &other);
    vkt_pipeline_destroy(t, &first);
    vkt_pipeline_destroy(t, &second);
    vkDestroyPipelineCache(t->device, cache, NULL);
    scene_close(t, &s);
}

static void data_brings_programs_back(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    size_t size_B, again_B;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct vkt_pipeline p = make(t, &s, cache, false);
    uint8_t *data = cache_data(t, cache, &size_B);
    const VkPipelineCacheHeaderVersionOne *header = (const void *)data;
    assert_int_equal(header->headerSize, 32);
    assert_int_equal(header->headerVersion, VK_PIPELINE_CACHE_HEADER_VERSION_ONE);
    assert_int_equal(header->vendorID, t->properties.vendorID);
    assert_int_equal(header->deviceID, t->properties.deviceID);
    assert_memory_equal(header->pipelineCacheUUID, t->properties.pipelineCacheUUID, VK_UUID_SIZE);
    assert_int_equal(compiled_with_data(t, &s, data, size_B), 0);

    VkPipelineCache copy = cache_create(t, data, size_B); /* unused entries are kept, too */
    free(cache_data(t, copy, &again_B));
    assert_int_equal(size_B, again_B);
    vkDestroyPipelineCache(t->device, copy, NULL);

    for (size_t limit_B = 0; limit_B < size_B; limit_B += 101) { /* incomplete data ends with a whole row */
        uint8_t *part = malloc(size_B);
        size_t part_B = limit_B;
        memset(part, 0xaa, size_B);
        assert_int_equal(vkGetPipelineCacheData(t->device, cache, &part_B, part), VK_INCOMPLETE);
        assert_true(part_B <= limit_B);
        assert_int_equal(part[limit_B], 0xaa);
        assert_true(compiled_with_data(t, &s, part, part_B) > 0);
        free(part);
    }
    free(data);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);
    scene_close(t, &s);
}

static void damaged_and_foreign_data_is_ignored(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    size_t size_B;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct vkt_pipeline p = make(t, &s, cache, false);
    uint8_t *data = cache_data(t, cache, &size_B);
    for (size_t at = 0; at < 32; at++) { /* the header: length, version, vendor, device, UUID of the build */
        data[at] ^= 0x40;
        assert_int_equal(compiled_with_data(t, &s, data, size_B), RESULTS);
        data[at] ^= 0x40;
    }
    for (size_t at = 32; at < size_B; at += 1 + size_B / 150) {
        data[at] ^= 0x08;
        assert_true(compiled_with_data(t, &s, data, size_B) > 0);
        data[at] ^= 0x08;
    }
    for (size_t cut_B = 0; cut_B < size_B; cut_B += 1 + size_B / 50)
        assert_true(compiled_with_data(t, &s, data, cut_B) > 0);
    assert_int_equal(compiled_with_data(t, &s, data, size_B), 0);
    free(data);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);
    scene_close(t, &s);
}

/* Copies the data with each row one byte shorter and its checksum corrected: the rows are accepted but make no
 * program. */
static uint8_t *shorten_rows(const uint8_t *data, size_t size_B, size_t *size_out_B)
{
    struct row {
        uint32_t key_B, data_B;
        uint64_t sum;
    } row;
    uint8_t *out = malloc(size_B), *to = out + 32;
    memcpy(out, data, 32);
    for (const uint8_t *at = data + 32; at < data + size_B; at += row.data_B + 1) {
        memcpy(&row, at, sizeof row);
        at += sizeof row;
        row.data_B--;
        row.sum = util_hash_bytes(at + row.key_B, row.data_B,
                                  util_hash_bytes(at, row.key_B, row.key_B ^ (uint64_t)row.data_B << 32));
        memcpy(to, &row, sizeof row);
        memcpy(to + sizeof row, at, row.key_B + row.data_B);
        to += sizeof row + row.key_B + row.data_B;
        at += row.key_B;
    }
    *size_out_B = (size_t)(to - out);
    return out;
}

/* An entry that is found but makes no program is compiled once, and the result replaces it. */
static void entries_of_no_use_are_replaced(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    size_t good_B, bad_B, size_B;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct vkt_pipeline p = make(t, &s, cache, false), q;
    uint8_t *good = cache_data(t, cache, &good_B), *bad = shorten_rows(good, good_B, &bad_B), *data;
    assert_int_equal(bad_B, good_B - RESULTS);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);

    cache = cache_create(t, bad, bad_B);
    struct counts before = counts(t);
    p = make(t, &s, cache, false);
    expect_counts(t, before, RESULTS, 0, 0);
    before = counts(t);
    q = make(t, &s, cache, false);
    expect_counts(t, before, 0, RESULTS, 0);
    expect_color(t, &s, &q);
    data = cache_data(t, cache, &size_B);
    assert_int_equal(size_B, good_B);
    assert_int_equal(compiled_with_data(t, &s, data, size_B), 0);
    free(data);
    free(good);
    free(bad);
    vkt_pipeline_destroy(t, &p);
    vkt_pipeline_destroy(t, &q);
    vkDestroyPipelineCache(t->device, cache, NULL);
    scene_close(t, &s);
}

/* Damages the data of a row and corrects its checksum. Nothing may crash: the result is a pipeline or an error.
 * VKT_FUZZ=full runs 100,000 rounds; VKT_SEED sets the first seed. */
static void damage_row(uint8_t *row, uint64_t *random)
{
    uint32_t lengths[2];
    memcpy(lengths, row, sizeof lengths);
    uint8_t *key = row + 16, *data = key + lengths[0];
    for (uint32_t n = 0; n <= (*random >> 60) % 4; n++) {
        *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        static const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100, 0x10000};
        const uint32_t value = (uint32_t)(*random >> 32), at = (uint32_t)(*random >> 8) % lengths[1];
        if (value % 4 == 0 || at + 4 > lengths[1])
            data[at] = (uint8_t)(value >> 8);
        else if (value % 4 == 1)
            memcpy(data + at / 4 * 4, &edges[value / 4 % VKT_COUNT(edges)], lengths[1] - at / 4 * 4 < 4 ? 1 : 4);
        else
            data[at] ^= (uint8_t)(1u << (value / 4 % 8));
    }
    const uint64_t sum =
        util_hash_bytes(data, lengths[1], util_hash_bytes(key, lengths[0], lengths[0] ^ (uint64_t)lengths[1] << 32));
    memcpy(row + 8, &sum, sizeof sum);
}

static void forged_rows_do_no_harm(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const char *fuzz = getenv("VKT_FUZZ"), *seed = getenv("VKT_SEED");
    const uint32_t rounds = fuzz && !strcmp(fuzz, "full") ? 100000 : 300;
    uint64_t random = seed ? strtoull(seed, NULL, 0) : 1;
    struct scene s;
    size_t size_B;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct vkt_pipeline p = make(t, &s, cache, true);
    uint8_t *good = cache_data(t, cache, &size_B), *bad = malloc(size_B);
    printf("# VKT_SEED=%llu\n", (unsigned long long)random);
    for (uint32_t round = 0; round < rounds; round++) {
        memcpy(bad, good, size_B);
        uint32_t rows = 0, lengths[2];
        for (size_t at = 32; at < size_B; at += 16 + lengths[0] + lengths[1], rows++) {
            memcpy(lengths, bad + at, sizeof lengths);
            if (rows % RESULTS == round % RESULTS || round % 7 == 0)
                damage_row(bad + at, &random);
        }
        VkPipelineCache forged = cache_create(t, bad, round % 11 ? size_B : random % size_B);
        struct vkt_pipeline q = try_make(t, &s, forged, true, true);
        vkt_pipeline_destroy(t, &q);
        vkDestroyPipelineCache(t->device, forged, NULL);
    }
    free(good);
    free(bad);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);
    scene_close(t, &s);
}

/* A compute shader that stores a number. Bytes 92 to 143 are the text of an OpString, which has no effect: the twins
 * differ in eight of its bytes, and in the eight that are 32 bytes further on. */
static const uint32_t twin[] = {
    0x07230203, 0x00010000, 0x00070000, 0x0000000f, 0x00000000, 0x00020011, 0x00000001, 0x0003000e, 0x00000000,
    0x00000001, 0x0005000f, 0x00000005, 0x00000001, 0x6e69616d, 0x00000000, 0x00060010, 0x00000001, 0x00000011,
    0x00000001, 0x00000001, 0x00000001, 0x00100007, 0x00000002, 0x73646170, 0x55555555, 0x55555555, 0x57575757,
    0x57575757, 0x57575757, 0x57575757, 0x57575757, 0x57575757, 0x55555555, 0x55555555, 0x57575757, 0x57575757,
    0x00000000, 0x00030047, 0x00000003, 0x00000003, 0x00050048, 0x00000003, 0x00000000, 0x00000023,
    0x00000000, 0x00040047, 0x00000004, 0x00000022, 0x00000000, 0x00040047, 0x00000004, 0x00000021, 0x00000000,
    0x00040015, 0x00000005, 0x00000020, 0x00000000, 0x0004002b, 0x00000005, 0x00000006, 0x00003039, 0x00020013,
    0x00000007, 0x00030021, 0x00000008, 0x00000007, 0x00040015, 0x00000009, 0x00000020, 0x00000001, 0x0004002b,
    0x00000009, 0x0000000a, 0x00000000, 0x0003001e, 0x00000003, 0x00000005, 0x00040020, 0x0000000b, 0x00000002,
    0x00000003, 0x0004003b, 0x0000000b, 0x00000004, 0x00000002, 0x00040020, 0x0000000c, 0x00000002, 0x00000005,
    0x00050036, 0x00000007, 0x00000001, 0x00000000, 0x00000008, 0x000200f8, 0x0000000d, 0x00050041, 0x0000000c,
    0x0000000e, 0x00000004, 0x0000000a, 0x0003003e, 0x0000000e, 0x00000006, 0x000100fd, 0x00010038,
};

#define TWIN_FIRST  12 /* indices of the 8-byte words in which the twins differ */
#define TWIN_SECOND 16

/* The multipliers of XXH64, and the inverse of the second. */
#define XXH64_1         UINT64_C(0x9e3779b185ebca87)
#define XXH64_2         UINT64_C(0xc2b2ae3d27d4eb4f)
#define XXH64_2_INVERSE UINT64_C(0x0ba79078168d4baf)
static_assert(XXH64_2 *XXH64_2_INVERSE == 1, "an inverse modulo 2^64");

static bool has_zero_byte(uint64_t word)
{
    for (uint32_t i = 0; i < 8; i++)
        if (!(word >> 8 * i & 0xff))
            return true;
    return false;
}

static bool have_same_hashes(const uint64_t one[sizeof twin / 8], const uint64_t two[sizeof twin / 8])
{
    static const uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < 2; i++)
        if (util_hash_bytes(one, sizeof twin, i * seed) != util_hash_bytes(two, sizeof twin, i * seed))
            return false;
    return true;
}

/* Makes two modules with the same util_hash_bytes() for both seeds that once identified modules. XXH64 takes the word w
 * of every 32 bytes into the state s = rotl(s + w * XXH64_2, 31) * XXH64_1. Adding n << 33 to w * XXH64_2 adds n to what
 * is rotated to the low bits, and so n * XXH64_1 to the state, whatever the seed, unless the sum overflows. The word of
 * the next 32 bytes takes that away again. */
static void make_twins(uint64_t one[sizeof twin / 8], uint64_t two[sizeof twin / 8])
{
    memcpy(one, twin, sizeof twin);
    memcpy(two, twin, sizeof twin);
    for (uint64_t n = 1; n < 1000; n++) {
        two[TWIN_FIRST] = one[TWIN_FIRST] + (n << 33) * XXH64_2_INVERSE;
        two[TWIN_SECOND] = one[TWIN_SECOND] - n * XXH64_1 * XXH64_2_INVERSE;
        if (!has_zero_byte(two[TWIN_FIRST]) && !has_zero_byte(two[TWIN_SECOND]) && have_same_hashes(one, two))
            break;
    }
    assert_true(have_same_hashes(one, two));
    assert_memory_not_equal(one, two, sizeof twin);
}

static VkPipeline make_compute(struct vkt *t, VkPipelineCache cache, VkPipelineLayout layout, const void *words)
{
    VkPipeline pipeline;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout,
    };
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = sizeof twin,
                                                            .pCode = words},
                                NULL, &info.stage.module));
    vkt_ok(vkCreateComputePipelines(t->device, cache, 1, &info, NULL, &pipeline));
    vkDestroyShaderModule(t->device, info.stage.module, NULL);
    return pipeline;
}

/* A module crafted to collide with another one does not get the other one's entry. */
static void crafted_modules_are_told_apart(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint64_t one[sizeof twin / 8], two[sizeof twin / 8];
    make_twins(one, two);
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(t->device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &set_layout},
                                  NULL, &layout));
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct counts before = counts(t);
    VkPipeline first = make_compute(t, cache, layout, one);
    const uint64_t compiled = counts(t).n[COMPILED] - before.n[COMPILED];
    assert_true(compiled > 0);
    before = counts(t);
    VkPipeline same = make_compute(t, cache, layout, one);
    expect_counts(t, before, 0, compiled, 0);
    before = counts(t);
    VkPipeline other = make_compute(t, cache, layout, two);
    expect_counts(t, before, compiled, 0, 0);
    vkDestroyPipeline(t->device, first, NULL);
    vkDestroyPipeline(t->device, same, NULL);
    vkDestroyPipeline(t->device, other, NULL);
    vkDestroyPipelineCache(t->device, cache, NULL);
    vkDestroyPipelineLayout(t->device, layout, NULL);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
}

static void caches_merge(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    size_t size_B;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipelineCache one = cache_create(t, NULL, 0), two = cache_create(t, NULL, 0), all = cache_create(t, NULL, 0);
    struct vkt_pipeline a = make(t, &s, one, false), b = make(t, &s, two, true);
    vkt_ok(vkMergePipelineCaches(t->device, all, 2, (VkPipelineCache[]){one, two}));
    vkDestroyPipelineCache(t->device, one, NULL);
    vkDestroyPipelineCache(t->device, two, NULL);
    struct counts before = counts(t);
    struct vkt_pipeline c = make(t, &s, all, false), d = make(t, &s, all, true);
    expect_counts(t, before, 0, 2 * RESULTS, 0);
    uint8_t *data = cache_data(t, all, &size_B);
    assert_int_equal(compiled_with_data(t, &s, data, size_B), 0);
    free(data);
    expect_color(t, &s, &c);
    vkt_pipeline_destroy(t, &a);
    vkt_pipeline_destroy(t, &b);
    vkt_pipeline_destroy(t, &c);
    vkt_pipeline_destroy(t, &d);
    vkDestroyPipelineCache(t->device, all, NULL);
    scene_close(t, &s);
}

/* A draw that samples with another sampling class compiles a variant. The variant is added to the cache that the
 * pipeline was created with, and compiling it still works after the application has destroyed that cache. */
static void variants_go_to_the_cache(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    size_t before_B, after_B;
    scene_open(t, &s, VK_FORMAT_B8G8R8A8_UNORM);
    VkPipelineCache cache = cache_create(t, NULL, 0);
    struct vkt_pipeline p = make(t, &s, cache, true);
    free(cache_data(t, cache, &before_B));
    struct vkt_picture picture = draw(t, &s, &p);
    uint8_t *data = cache_data(t, cache, &after_B);
    assert_true(after_B > before_B);

    VkPipelineCache copy = cache_create(t, data, after_B);
    struct counts before = counts(t);
    struct vkt_pipeline q = make(t, &s, copy, true);
    struct vkt_picture again = draw(t, &s, &q);
    expect_counts(t, before, 0, RESULTS + 1, 0);
    vkt_compare("cache_variant", &picture, &again, (struct vkt_tolerance){0, 0});
    vkt_pipeline_destroy(t, &q);
    vkDestroyPipelineCache(t->device, copy, NULL);
    vkt_pipeline_destroy(t, &p);
    vkDestroyPipelineCache(t->device, cache, NULL);

    cache = cache_create(t, NULL, 0);
    p = make(t, &s, cache, true);
    vkDestroyPipelineCache(t->device, cache, NULL);
    vkt_picture_free(&again);
    again = draw(t, &s, &p);
    vkt_compare("cache_gone", &picture, &again, (struct vkt_tolerance){0, 0});
    vkt_pipeline_destroy(t, &p);
    vkt_picture_free(&picture);
    vkt_picture_free(&again);
    free(data);
    scene_close(t, &s);
}

/* ---------------------------------------------------------------- on disk */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static void use_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    setenv("XDG_CACHE_HOME", path, 1);
    unsetenv("VC4VK_CACHE");
}

/* Creates a pipeline on a new device, without a VkPipelineCache, and returns the device's counts. Turns the on-disk
 * cache off afterwards. */
static struct counts counts_of_new_device(bool textured)
{
    struct vkt again = vkt_device_create(vkt_device(VKT_TESTED));
    struct scene s;
    scene_open(&again, &s, VK_FORMAT_R8G8B8A8_UNORM);
    struct vkt_pipeline p = make(&again, &s, VK_NULL_HANDLE, textured);
    if (!textured)
        expect_color(&again, &s, &p);
    struct counts c = counts(&again);
    vkt_pipeline_destroy(&again, &p);
    scene_close(&again, &s);
    vkt_device_close(&again);
    setenv("VC4VK_CACHE", "0", 1);
    return c;
}

static void later_devices_find_programs_on_disk(void **state)
{
    use_folder("later");
    struct counts c = counts_of_new_device(false);
    assert_int_equal(c.n[COMPILED], RESULTS);
    use_folder("later");
    c = counts_of_new_device(false);
    assert_int_equal(c.n[COMPILED], 0);
    assert_int_equal(c.n[ON_DISK], RESULTS);
    c = counts_of_new_device(false); /* the on-disk cache is off */
    assert_int_equal(c.n[COMPILED], RESULTS);
}

static int damage_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    FILE *f = type == FTW_F ? fopen(path, "r+") : NULL;
    if (f) {
        fseek(f, st->st_size / 2, SEEK_SET);
        fputs("spoilt", f);
        fclose(f);
    }
    return 0;
}

static void spoilt_files_are_replaced(void **state)
{
    char path[256];
    use_folder("spoilt");
    counts_of_new_device(true);
    snprintf(path, sizeof path, "%s/spoilt", folder);
    nftw(path, damage_file, 8, FTW_PHYS);
    use_folder("spoilt");
    struct counts c = counts_of_new_device(true);
    assert_int_equal(c.n[COMPILED], RESULTS);
    use_folder("spoilt");
    c = counts_of_new_device(true);
    assert_int_equal(c.n[ON_DISK], RESULTS);
}

static void it_works_without_a_folder(void **state)
{
    setenv("XDG_CACHE_HOME", "/proc/self/nowhere", 1);
    unsetenv("VC4VK_CACHE");
    struct counts c = counts_of_new_device(false);
    assert_int_equal(c.n[COMPILED], RESULTS);
}

static void processes_share_the_folder(void **state)
{
    pid_t children[2];
    char exe[512] = "";
    assert_in_range(readlink("/proc/self/exe", exe, sizeof exe - 1), 1, sizeof exe - 2);
    /* In a cross build the program needs an emulator, which Meson passes in this variable. */
    char *const args[] = {(char *)"sh", (char *)"-c", (char *)"exec $MESON_EXE_WRAPPER \"$0\" child", exe, NULL};
    use_folder("shared");
    for (int i = 0; i < 2; i++)
        assert_int_equal(posix_spawn(&children[i], "/bin/sh", NULL, NULL, args, environ), 0);
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct counts c = counts_of_new_device(true);
    assert_int_equal(c.n[COMPILED], 0);
    assert_int_equal(c.n[ON_DISK], RESULTS);
}

static void child(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct scene s;
    scene_open(t, &s, VK_FORMAT_R8G8B8A8_UNORM);
    for (int i = 0; i < 10; i++) {
        struct vkt_pipeline p = make(t, &s, VK_NULL_HANDLE, false), q = make(t, &s, VK_NULL_HANDLE, true);
        expect_color(t, &s, &p);
        vkt_pipeline_destroy(t, &p);
        vkt_pipeline_destroy(t, &q);
    }
    scene_close(t, &s);
}

static int teardown(void **state)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return vkt_teardown(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_hit_compiles_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(data_brings_programs_back, vkt_check_messages),
        cmocka_unit_test_teardown(damaged_and_foreign_data_is_ignored, vkt_check_messages),
        cmocka_unit_test_teardown(entries_of_no_use_are_replaced, vkt_check_messages),
        cmocka_unit_test_teardown(forged_rows_do_no_harm, vkt_check_messages),
        cmocka_unit_test(crafted_modules_are_told_apart), /* no message check: their text is not UTF-8 */
        cmocka_unit_test_teardown(caches_merge, vkt_check_messages),
        cmocka_unit_test_teardown(variants_go_to_the_cache, vkt_check_messages),
        cmocka_unit_test_teardown(later_devices_find_programs_on_disk, vkt_check_messages),
        cmocka_unit_test_teardown(spoilt_files_are_replaced, vkt_check_messages),
        cmocka_unit_test_teardown(it_works_without_a_folder, vkt_check_messages),
        cmocka_unit_test_teardown(processes_share_the_folder, vkt_check_messages),
    };
    const struct CMUnitTest in_child[] = {cmocka_unit_test_teardown(child, vkt_check_messages)};
    if (argc > 1) {
        cmocka_set_message_output(CM_OUTPUT_SUBUNIT);
        unsetenv("CMOCKA_MESSAGE_OUTPUT");
        freopen("/dev/null", "w", stdout);
        return cmocka_run_group_tests_name("child", in_child, NULL, vkt_teardown);
    }
    if (!mkdtemp(folder))
        return 2;
    return cmocka_run_group_tests_name("cache", tests, NULL, teardown);
}
