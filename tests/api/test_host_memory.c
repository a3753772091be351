/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_external_memory_host: the program's own memory is device memory. What either side writes the other sees in
 * the same pages, also after the memory has been imported again, on another device, or given back. On the DRM backend
 * there is no such extension, and the queries say so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"
#include "compute_add.comp.h"

#define HOST VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

struct side {
    struct vkt t;
    PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerProperties;
    size_t align_B;
};

static size_t alignment(struct vkt *t)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    PFN_vkGetPhysicalDeviceProperties2KHR get =
        (PFN_vkGetPhysicalDeviceProperties2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceProperties2KHR");
    get(t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host});
    return (size_t)host.minImportedHostPointerAlignment;
}

static bool is_reported(void)
{
    return vkt_has_extension(vkt_device(VKT_TESTED), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
}

#define NEEDS_HOST_MEMORY()                                                                                            \
    if (!is_reported())                                                                                                \
    vkt_skip("the device does not import memory of the program")

static struct side open_side(void)
{
    static const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
                                             VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    struct side s = {.t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions))};
    s.GetMemoryHostPointerProperties =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(s.t.device, "vkGetMemoryHostPointerPropertiesEXT");
    assert_non_null(s.GetMemoryHostPointerProperties);
    s.align_B = alignment(&s.t);
    return s;
}

static VkResult import(const struct side *s, void *host, VkDeviceSize size_B, uint32_t type, VkDeviceMemory *out)
{
    const VkImportMemoryHostPointerInfoEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = HOST, .pHostPointer = host};
    return vkAllocateMemory(s->t.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &pointer,
                                                    .allocationSize = size_B,
                                                    .memoryTypeIndex = type},
                            NULL, out);
}

/* A buffer in the first `size_B` of the memory, which is mapped where the driver has it. */
static struct vkt_buffer buffer_in(struct side *s, void *host, VkDeviceSize size_B)
{
    struct vkt_buffer b = {.size_B = size_B};
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = HOST};
    vkt_ok(vkCreateBuffer(s->t.device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .pNext = &external,
                                                .size = size_B,
                                                .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                         VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT},
                          NULL, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(s->t.device, b.buffer, &needs);
    VkMemoryHostPointerPropertiesEXT types = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    vkt_ok(s->GetMemoryHostPointerProperties(s->t.device, HOST, host, &types));
    uint32_t type = 0;
    while (!(needs.memoryTypeBits & types.memoryTypeBits & 1u << type))
        assert_true(++type < s->t.memory.memoryTypeCount);
    vkt_ok(import(s, host, size_B, type, &b.memory));
    vkt_ok(vkBindBufferMemory(s->t.device, b.buffer, b.memory, 0));
    vkt_ok(vkMapMemory(s->t.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    return b;
}

static void fill(struct vkt *t, const struct vkt_buffer *b, uint32_t word)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdFillBuffer(cmd, b->buffer, 0, VK_WHOLE_SIZE, word);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                         NULL);
    vkt_end_submit(t, cmd);
}

static void assert_words(const uint32_t *words, size_t size_B, uint32_t word)
{
    for (size_t i = 0; i < size_B / 4; i++)
        assert_int_equal(words[i], word);
}

/* ---------------------------------------------------------------- queries */

static void queries_say_what_can_be_imported(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const bool has = is_reported();
    PFN_vkGetPhysicalDeviceExternalBufferPropertiesKHR query =
        (PFN_vkGetPhysicalDeviceExternalBufferPropertiesKHR)vkGetInstanceProcAddr(
            t->instance, "vkGetPhysicalDeviceExternalBufferPropertiesKHR");
    VkExternalBufferProperties p = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    query(t->physical,
          &(VkPhysicalDeviceExternalBufferInfo){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                .handleType = HOST},
          &p);
    assert_int_equal(p.externalMemoryProperties.externalMemoryFeatures,
                     has ? VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT : 0);
    assert_int_equal(p.externalMemoryProperties.compatibleHandleTypes, has ? HOST : 0);
    assert_int_equal(p.externalMemoryProperties.exportFromImportedHandleTypes, 0);
    if (!has)
        return;
    struct side s = open_side();
    assert_true(s.align_B && s.align_B <= 65536 && !(s.align_B & (s.align_B - 1)));
    VkMemoryHostPointerPropertiesEXT types = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    void *host = aligned_alloc(s.align_B, s.align_B);
    vkt_ok(s.GetMemoryHostPointerProperties(s.t.device, HOST, host, &types));
    assert_true(types.memoryTypeBits);
    free(host);
    vkt_device_close(&s.t);
}

/* ---------------------------------------------------------------- both sides see the same pages */

/* Whether the memory is the process's alone: what a child of fork() writes does not appear in it. */
static bool is_private(uint32_t *word)
{
    const uint32_t was = *word;
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        *(volatile uint32_t *)word = ~was;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    const bool is_own = *(volatile uint32_t *)word == was;
    *word = was;
    return is_own;
}

static void check_both_sides(struct side *s, uint32_t *words, size_t size_B)
{
    words[5] = 0x1234567;
    struct vkt_buffer b = buffer_in(s, words, size_B);
    struct vkt_buffer out = vkt_buffer_create(&s->t, size_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    assert_int_equal(((uint32_t *)b.map)[5], 0x1234567); /* what was there before */
    fill(&s->t, &b, 0xabcdef01);
    assert_words(words, size_B, 0xabcdef01);
    for (uint32_t i = 0; i < size_B / 4; i++)
        words[i] = i * 7;
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkCmdCopyBuffer(cmd, b.buffer, out.buffer, 1, &(VkBufferCopy){.size = size_B});
    vkt_end_submit(&s->t, cmd);
    assert_memory_equal(out.map, words, size_B);
    ((uint32_t *)b.map)[9] = 4711;
    assert_int_equal(words[9], 4711);
    vkt_buffer_destroy(&s->t, &out);
    vkt_buffer_destroy(&s->t, &b);
    assert_int_equal(words[9], 4711); /* the memory keeps its contents */
    assert_int_equal(words[10], 70);
    words[10] = 1;
    assert_int_equal(words[10], 1);
}

static void memory_of_malloc(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    for (uint32_t pages = 1; pages <= 1024; pages *= 32) {
        uint32_t *words = aligned_alloc(s.align_B, pages * s.align_B);
        check_both_sides(&s, words, pages * s.align_B);
        assert_true(is_private(words)); /* as it was before */
        check_both_sides(&s, words, pages * s.align_B);
        free(words);
    }
    vkt_device_close(&s.t);
}

/* Memory that is a file's: the device's writes reach the file. */
static void memory_of_a_file(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    const size_t size_B = 3 * s.align_B;
    const int fd = memfd_create("host", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)(2 * size_B)), 0);
    uint32_t *words = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)s.align_B);
    assert_true(words != MAP_FAILED);
    check_both_sides(&s, words, size_B);
    struct vkt_buffer b = buffer_in(&s, words, size_B);
    fill(&s.t, &b, 0x55aa);
    uint32_t word = 0;
    assert_int_equal(pread(fd, &word, sizeof word, (off_t)(s.align_B + size_B - 4)), sizeof word);
    assert_int_equal(word, 0x55aa);
    vkt_buffer_destroy(&s.t, &b);
    munmap(words, size_B);
    close(fd);
    vkt_device_close(&s.t);
}

/* Half of the memory is a file's and half is not. */
static void memory_of_two_kinds(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    const size_t size_B = 4 * s.align_B;
    uint8_t *bytes = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(bytes != MAP_FAILED);
    assert_true(mmap(bytes + size_B / 2, size_B / 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
                     0) != MAP_FAILED);
    check_both_sides(&s, (uint32_t *)bytes, size_B);
    assert_true(is_private((uint32_t *)bytes));
    assert_false(is_private((uint32_t *)(bytes + size_B / 2)));
    munmap(bytes, size_B);
    vkt_device_close(&s.t);
}

/* The same memory twice on one device, in parts, and on another device. */
static void memory_is_imported_several_times(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side(), other = open_side();
    const size_t size_B = 4 * s.align_B;
    uint32_t *words = aligned_alloc(s.align_B, size_B);
    memset(words, 0, size_B);
    struct vkt_buffer all = buffer_in(&s, words, size_B), part = buffer_in(&s, words + size_B / 16, size_B / 2),
                      there = buffer_in(&other, words, size_B);
    fill(&s.t, &part, 1);
    assert_int_equal(((uint32_t *)there.map)[0], 0);
    assert_int_equal(((uint32_t *)there.map)[size_B / 16], 1);
    fill(&other.t, &there, 2);
    assert_words(all.map, size_B, 2);
    vkt_buffer_destroy(&s.t, &all);
    fill(&s.t, &part, 3);
    assert_int_equal(words[size_B / 16], 3);
    assert_int_equal(((uint32_t *)there.map)[size_B / 16], 3);
    vkt_buffer_destroy(&s.t, &part);
    fill(&other.t, &there, 4);
    assert_words(words, size_B, 4);
    assert_false(is_private(words));
    vkt_buffer_destroy(&other.t, &there);
    assert_words(words, size_B, 4);
    assert_true(is_private(words));
    free(words);
    vkt_device_close(&other.t);
    vkt_device_close(&s.t);
}

/* A device that is destroyed with the memory still imported gives it back. */
static void a_device_ends_with_its_imports(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    uint32_t *words = aligned_alloc(s.align_B, s.align_B);
    struct vkt_buffer b = buffer_in(&s, words, s.align_B);
    fill(&s.t, &b, 77);
    vkDestroyBuffer(s.t.device, b.buffer, NULL);
    vkFreeMemory(s.t.device, b.memory, NULL);
    vkt_device_close(&s.t);
    assert_words(words, alignment(vkt_device(VKT_TESTED)), 77);
    assert_true(is_private(words));
    free(words);
}

/* ---------------------------------------------------------------- uses */

static void programs_read_and_write_it(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    float *host = aligned_alloc(s.align_B, 3 * s.align_B);
    struct vkt_buffer buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = buffer_in(&s, (uint8_t *)host + i * s.align_B, s.align_B);
    const float *sum = (float *)((uint8_t *)host + 2 * s.align_B);
    for (uint32_t i = 0; i < 32; i++) {
        host[i] = (float)i;
        host[s.align_B / 4 + i] = 100;
    }
    struct vkt_compute c = vkt_compute_create_simple(&s.t, VKT_SHADER(compute_add_comp), 3, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(&s.t, &c, buffers, 3);
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&s.t, cmd);
    for (uint32_t i = 0; i < 32; i++)
        assert_float_equal(sum[i], 100 + (float)i, 0);
    vkt_compute_destroy(&s.t, &c);
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(&s.t, &buffers[i]);
    free(host);
    vkt_device_close(&s.t);
}

/* Renders to an image in such memory: a linear one, whose texels the program then has. */
static void jobs_render_to_it(void **state)
{
    NEEDS_HOST_MEMORY();
    struct side s = open_side();
    const VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                      .handleTypes = HOST};
    VkImage image;
    vkt_ok(vkCreateImage(
        s.t.device,
        &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                             .pNext = &external,
                             .imageType = VK_IMAGE_TYPE_2D,
                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                             .extent = {100, 60, 1},
                             .mipLevels = 1,
                             .arrayLayers = 1,
                             .samples = VK_SAMPLE_COUNT_1_BIT,
                             .tiling = VK_IMAGE_TILING_LINEAR,

                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
        NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(s.t.device, image, &needs);
    const size_t size_B = (size_t)(needs.size + s.align_B - 1) / s.align_B * s.align_B;
    uint8_t *host = aligned_alloc(s.align_B, size_B);
    VkDeviceMemory memory;
    vkt_ok(import(&s, host, size_B, 0, &memory));
    vkt_ok(vkBindImageMemory(s.t.device, image, memory, 0));
    VkImageView view;
    vkt_ok(vkCreateImageView(s.t.device,
                             &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                      .image = image,
                                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                      .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
                             NULL, &view));
    struct vkt_target like = vkt_target_create(&s.t, 100, 60, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(s.t.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = like.pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &view,
                                                          .width = 100,
                                                          .height = 60,
                                                          .layers = 1},
                               NULL, &framebuffer));
    struct vkt_target target = {
        .color.image = image, .pass = like.pass, .framebuffer = framebuffer, .width = 100, .height = 60};
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_begin_pass(cmd, &target, (const float[]){1, 0, 0.2f, 1}, 1, 0);
    vkCmdEndRenderPass(cmd);
    vkt_barrier_all(cmd);
    vkt_end_submit(&s.t, cmd);
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(s.t.device, image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, &layout);
    for (uint32_t y = 0; y < 60; y++)
        for (uint32_t x = 0; x < 100; x++)
            assert_memory_equal(host + layout.offset + y * layout.rowPitch + 4 * x, ((uint8_t[]){255, 0, 51, 255}), 4);
    vkDestroyFramebuffer(s.t.device, framebuffer, NULL);
    vkDestroyImageView(s.t.device, view, NULL);
    vkDestroyImage(s.t.device, image, NULL);
    vkFreeMemory(s.t.device, memory, NULL);
    vkt_target_destroy(&s.t, &like);
    free(host);
    vkt_device_close(&s.t);
}

/* ---------------------------------------------------------------- refusals */

static void assert_refused(struct side *s, void *host, VkDeviceSize size_B)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    assert_int_equal(import(s, host, size_B, 0, &memory), VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

static bool is_mapped(void *page, size_t page_B)
{
    unsigned char is_resident;
    return mincore(page, page_B, &is_resident) == 0;
}

/* Memory with a hole, and the hole itself, must be refused. Any thread of the process may map something into the hole before
 * the driver looks: then it is tried with another one. */
static void assert_holes_refused(struct side *s, size_t page_B)
{
    for (unsigned n = 0; n < 100; n++) {
        uint8_t *host = mmap(NULL, 8 * page_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(host != MAP_FAILED);
        uint8_t *hole = host + 5 * page_B;
        munmap(hole, page_B);
        VkDeviceMemory memory[3] = {0};
        const VkResult results[3] = {import(s, host, 8 * page_B, 0, &memory[0]),
                                     import(s, host + 4 * page_B, 2 * page_B, 0, &memory[1]),
                                     import(s, hole, page_B, 0, &memory[2])};
        const bool is_hole = !is_mapped(hole, page_B);
        for (unsigned i = 0; i < 3; i++) {
            if (is_hole)
                assert_int_equal(results[i], VK_ERROR_INVALID_EXTERNAL_HANDLE);
            vkFreeMemory(s->t.device, memory[i], NULL);
        }
        munmap(host, 5 * page_B);
        munmap(hole + page_B, 2 * page_B);
        if (is_hole)
            return;
    }
    fail_msg("other threads have filled all holes");
}

static void refuse_what_is_no_memory(void)
{
    struct side s = open_side();
    const size_t page_B = s.align_B;
    uint8_t *host = mmap(NULL, 8 * page_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(host != MAP_FAILED);
    assert_refused(&s, NULL, page_B);
    assert_refused(&s, host + 16, page_B);
    assert_refused(&s, host, page_B / 2);
    assert_refused(&s, host, 0);
    assert_refused(&s, (void *)(~(uintptr_t)0 & ~(uintptr_t)(page_B - 1)), page_B);
    mprotect(host + 2 * page_B, page_B, PROT_READ);
    assert_refused(&s, host, 8 * page_B);
    assert_refused(&s, host + 2 * page_B, page_B); /* read only */
    assert_refused(&s, host + page_B, 2 * page_B);
    assert_holes_refused(&s, page_B);
    VkMemoryHostPointerPropertiesEXT types = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    assert_int_equal(s.GetMemoryHostPointerProperties(s.t.device, HOST, host + 1, &types),
                     VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(s.GetMemoryHostPointerProperties(
                         s.t.device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT, host, &types),
                     VK_ERROR_INVALID_EXTERNAL_HANDLE);
    struct vkt_buffer own = vkt_buffer_create(&s.t, page_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    assert_refused(&s, (void *)((uintptr_t)own.map & ~(uintptr_t)(page_B - 1)), page_B); /* the device's memory */
    vkt_buffer_destroy(&s.t, &own);
    host[0] = 1; /* all of it is as it was */
    struct vkt_buffer b = buffer_in(&s, host, 2 * page_B);
    fill(&s.t, &b, 9);
    assert_words((uint32_t *)host, 2 * page_B, 9);
    vkt_buffer_destroy(&s.t, &b);
    vkt_device_close(&s.t);
}

/* The layer checks alignment and types, and would stop such calls, so this runs without it: in a child, which has an
 * instance of its own, unless there is no layer at all. */
static void what_is_no_memory_is_refused(void **state)
{
    NEEDS_HOST_MEMORY();
    if (getenv("VKT_NO_VALIDATION")) {
        refuse_what_is_no_memory();
        return;
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        vkt_forget_devices();
        setenv("VKT_NO_VALIDATION", "1", 1);
        refuse_what_is_no_memory();
        fflush(stdout);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(queries_say_what_can_be_imported, vkt_check_messages),
        cmocka_unit_test_teardown(memory_of_malloc, vkt_check_messages),
        cmocka_unit_test_teardown(memory_of_a_file, vkt_check_messages),
        cmocka_unit_test_teardown(memory_of_two_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(memory_is_imported_several_times, vkt_check_messages),
        cmocka_unit_test_teardown(a_device_ends_with_its_imports, vkt_check_messages),
        cmocka_unit_test_teardown(programs_read_and_write_it, vkt_check_messages),
        cmocka_unit_test_teardown(jobs_render_to_it, vkt_check_messages),
        cmocka_unit_test_teardown(what_is_no_memory_is_refused, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_host_memory", tests, NULL, vkt_teardown);
}
