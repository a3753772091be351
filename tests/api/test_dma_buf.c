/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_external_memory_dma_buf and VK_EXT_queue_family_foreign: memory that is shared as dma-bufs. On the model the
 * kernel makes them (/dev/udmabuf); fake_udmabuf.c, if it is preloaded, stands for that device and fails when told to.
 * The second process is this program, started again with the number of the file descriptor that it inherits.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"
#include "fake_udmabuf.h"

extern char **environ;

#define SHARED_B (1u << 16)
#define DMA_BUF  VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT

static const char *own_path;
static struct fake_udmabuf *fake; /* NULL: not preloaded */

static const char *const extensions[] = {
    VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,           VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,         VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
};

struct side {
    struct vkt t;
    PFN_vkGetMemoryFdKHR GetMemoryFd;
    PFN_vkGetMemoryFdPropertiesKHR GetMemoryFdProperties;
};

#define SKIP_WITHOUT_DMA_BUFS()                                                                                        \
    if (!vkt_has_extension(vkt_device(VKT_TESTED), VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME))                     \
    vkt_skip("this machine has no /dev/udmabuf that can be opened")

static struct side open_side(void)
{
    struct side s = {.t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions))};
#define GET(name, suffix)                                                                                              \
    assert_non_null(s.name = (PFN_vk##name##suffix)vkGetDeviceProcAddr(s.t.device, "vk" #name #suffix))
    GET(GetMemoryFd, KHR);
    GET(GetMemoryFdProperties, KHR);
#undef GET
    return s;
}

static void close_side(struct side *s)
{
    vkt_device_close(&s->t);
}

static VkResult export_memory(const struct side *s, VkDeviceSize size_B, VkExternalMemoryHandleTypeFlags types,
                              VkDeviceMemory *out)
{
    const VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                               .handleTypes = types};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &export, .allocationSize = size_B};
    return vkAllocateMemory(s->t.device, &info, NULL, out);
}

static VkDeviceMemory exported(const struct side *s, VkDeviceSize size_B)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    vkt_ok(export_memory(s, size_B, DMA_BUF, &memory));
    return memory;
}

static VkResult get_fd(const struct side *s, VkDeviceMemory memory, VkExternalMemoryHandleTypeFlagBits type, int *out)
{
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = type};
    return s->GetMemoryFd(s->t.device, &info, out);
}

static int dma_buf(const struct side *s, VkDeviceMemory memory)
{
    int fd = -1;
    vkt_ok(get_fd(s, memory, DMA_BUF, &fd));
    return fd;
}

static VkResult import(const struct side *s, int fd, VkDeviceSize size_B, VkDeviceMemory *out)
{
    const VkImportMemoryFdInfoKHR from = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = DMA_BUF, .fd = fd};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &from, .allocationSize = size_B};
    return vkAllocateMemory(s->t.device, &info, NULL, out);
}

static void *map(const struct side *s, VkDeviceMemory memory)
{
    void *out = NULL;
    vkt_ok(vkMapMemory(s->t.device, memory, 0, VK_WHOLE_SIZE, 0, &out));
    return out;
}

static bool is_same_file(int a, int b)
{
    struct stat x, y;
    assert_int_equal(fstat(a, &x) | fstat(b, &y), 0);
    return x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

/* ---------------------------------------------------------------- memory */

/* Any program can map the dma-buf, begin and end accesses, and sees what the device writes. Memory has one dma-buf. */
static void memory_is_exported_as_a_dma_buf(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    struct side s = open_side();
    VkDeviceMemory memory = exported(&s, SHARED_B);
    int fd = dma_buf(&s, memory), again = dma_buf(&s, memory), opaque = -1;
    assert_true(is_same_file(fd, again));
    assert_int_equal(lseek(fd, 0, SEEK_END), SHARED_B);
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
    assert_int_equal(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), 0);
    uint32_t *theirs = mmap(NULL, SHARED_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *ours = map(&s, memory);
    assert_ptr_not_equal(theirs, MAP_FAILED);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        ours[i] = i * 2654435761u;
    assert_memory_equal(ours, theirs, SHARED_B);
    theirs[17] = 4711;
    assert_int_equal(ours[17], 4711);

    VkBuffer buffer;
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = DMA_BUF};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = &external,
                                     .size = SHARED_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    vkt_ok(vkCreateBuffer(s.t.device, &info, NULL, &buffer));
    VkMemoryRequirements req;
    vkGetBufferMemoryRequirements(s.t.device, buffer, &req);
    vkt_ok(vkBindBufferMemory(s.t.device, buffer, memory, 0));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkCmdFillBuffer(cmd, buffer, 0, VK_WHOLE_SIZE, 0x600df00d);
    vkt_end_submit(&s.t, cmd);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        assert_int_equal(theirs[i], 0x600df00d);
    vkDestroyBuffer(s.t.device, buffer, NULL);

    munmap(theirs, SHARED_B);
    close(again);
    vkFreeMemory(s.t.device, memory, NULL);
    assert_int_equal(lseek(fd, 0, SEEK_END), SHARED_B); /* it outlives the memory */
    close(fd);
    /* Memory may be exported as both types. */
    vkt_ok(export_memory(&s, SHARED_B, DMA_BUF | VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, &memory));
    vkt_ok(get_fd(&s, memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, &opaque));
    fd = dma_buf(&s, memory);
    close(fd);
    close(opaque);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

/* Imports share the memory, whether the device has it already or not, and outlive what they were made from. */
static void imports_alias(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    struct side a = open_side(), b = open_side();
    VkDeviceMemory memory = exported(&a, SHARED_B), own, first, second;
    uint32_t *ours = map(&a, memory), *words;
    ours[5] = 55;
    int fd = dma_buf(&a, memory);
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    vkt_ok(b.GetMemoryFdProperties(b.t.device, DMA_BUF, fd, &properties));
    assert_true(properties.memoryTypeBits & 1);
    vkt_ok(import(&a, dma_buf(&a, memory), SHARED_B, &own));
    words = map(&a, own);
    assert_int_equal(words[5], 55);
    vkFreeMemory(a.t.device, own, NULL);
    vkt_ok(import(&b, dma_buf(&a, memory), SHARED_B, &first));
    vkt_ok(import(&b, dma_buf(&a, memory), SHARED_B, &second));
    uint32_t *one = map(&b, first), *two = map(&b, second);
    assert_int_equal(one[5], 55);
    one[6] = 66;
    assert_int_equal(two[6], 66);
    assert_int_equal(ours[6], 66);
    int further = dma_buf(&b, second); /* imported memory can be exported again: the same dma-buf */
    assert_true(is_same_file(fd, further));
    vkFreeMemory(a.t.device, memory, NULL);
    close_side(&a);
    vkFreeMemory(b.t.device, first, NULL);
    two[7] = 77;
    vkFreeMemory(b.t.device, second, NULL);
    vkt_ok(import(&b, further, SHARED_B, &first));
    one = map(&b, first);
    assert_int_equal(one[6], 66);
    assert_int_equal(one[7], 77);
    vkFreeMemory(b.t.device, first, NULL);
    close(fd);
    close_side(&b);
}

/* The child doubles each word. */
static int child(const char *fd_text)
{
    struct side s = open_side();
    VkDeviceMemory memory;
    if (import(&s, atoi(fd_text), SHARED_B, &memory) != VK_SUCCESS)
        return 1;
    uint32_t *words = map(&s, memory);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        words[i] *= 2;
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
    return 0;
}

static void dma_bufs_cross_processes(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    struct side s = open_side();
    VkDeviceMemory memory = exported(&s, SHARED_B);
    uint32_t *words = map(&s, memory);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        words[i] = i;
    char number[16];
    int fd = dma_buf(&s, memory), status;
    pid_t pid;
    snprintf(number, sizeof number, "%d", fd);
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0); /* the child inherits it */
    /* A cross-compiled program needs its emulator, which Meson names. */
    char *const argv[] = {(char *)"sh",     (char *)"-c", (char *)"exec $MESON_EXE_WRAPPER \"$0\" \"$@\"",
                          (char *)own_path, number,       NULL};
    assert_int_equal(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        assert_int_equal(words[i], 2 * i);
    close(fd);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

static void refuse(const struct side *s, int fd, VkDeviceSize size_B)
{
    VkDeviceMemory memory;
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR, .memoryTypeBits = 1};
    assert_int_equal(import(s, fd, size_B, &memory), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_true(fcntl(fd, F_GETFD) >= 0); /* a failed import leaves it open */
    if (size_B > SHARED_B)
        return;
    assert_int_equal(s->GetMemoryFdProperties(s->t.device, DMA_BUF, fd, &properties), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(properties.memoryTypeBits, 0);
}

static void what_is_no_dma_buf_is_refused(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    struct side s = open_side();
    VkDeviceMemory memory = exported(&s, SHARED_B);
    vkt_accept_message(
        vkt_device(VKT_TESTED),
        "VUID-VkMemoryAllocateInfo-allocationSize-01742 VUID-VkMemoryAllocateInfo-memoryTypeIndex-00648");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), cuttable = memfd_create("cuttable", MFD_CLOEXEC), pipe_fd[2];
    assert_int_equal(ftruncate(cuttable, SHARED_B), 0);
    assert_int_equal(pipe2(pipe_fd, O_CLOEXEC), 0);
    refuse(&s, null, 4096);
    refuse(&s, cuttable, SHARED_B); /* its owner could shorten it while it is mapped */
    refuse(&s, pipe_fd[0], 4096);
    int fd = dma_buf(&s, memory);
    refuse(&s, fd, SHARED_B + 4096); /* too small */
    close(null);
    close(cuttable);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    close(fd);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

/* The kernel's device, real or not, refuses memfds that could shrink and ranges that are not whole pages of them. */
static void the_device_checks_what_it_gets(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (device < 0)
        vkt_skip("this device makes its dma-bufs itself");
    int memfd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(memfd, 8192), 0);
    struct udmabuf_create arg = {.memfd = (uint32_t)memfd, .flags = UDMABUF_FLAGS_CLOEXEC, .size = 4096};
    assert_int_equal(ioctl(device, UDMABUF_CREATE, &arg), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    const struct {
        uint64_t offset_B, size_B;
    } wrong[] = {{0, 0}, {0, 100}, {100, 4096}};
    for (uint32_t i = 0; i < VKT_COUNT(wrong); i++) {
        arg.offset = wrong[i].offset_B;
        arg.size = wrong[i].size_B;
        assert_int_equal(ioctl(device, UDMABUF_CREATE, &arg), -1);
        assert_int_equal(errno, EINVAL);
    }
    /* A dma-buf of the second page alone, which the driver has not made, can be imported as well. */
    arg.offset = arg.size = 4096;
    assert_int_equal(pwrite(memfd, "second", 7, 4096), 7);
    int fd = ioctl(device, UDMABUF_CREATE, &arg);
    assert_true(fd >= 0);
    struct side s = open_side();
    VkDeviceMemory memory;
    vkt_ok(import(&s, fd, 4096, &memory));
    char *text = map(&s, memory);
    assert_string_equal(text, "second");
    strcpy(text, "changed");
    char got[8];
    assert_int_equal(pread(memfd, got, sizeof got, 4096), sizeof got);
    assert_string_equal(got, "changed");
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
    close(memfd);
    close(device);
}

/* ---------------------------------------------------------------- failures */

#define SKIP_WITHOUT_FAKE()                                                                                            \
    if (!fake)                                                                                                         \
    vkt_skip("fake_udmabuf.so, which can fail, is not preloaded")

static VkInstance another_instance(VkPhysicalDevice *physical_out)
{
    VkInstance instance;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    uint32_t count = 1;
    vkt_ok(vkCreateInstance(&info, NULL, &instance));
    assert_true(vkEnumeratePhysicalDevices(instance, &count, physical_out) >= 0 && count == 1);
    return instance;
}

/* What a device reports that cannot make dma-bufs: nothing of them. */
static void without_the_device_nothing_is_reported(void **state)
{
    SKIP_WITHOUT_FAKE();
    static const int errors[] = {0, EACCES, EPERM, ENOENT, ENODEV, EMFILE};
    for (uint32_t i = 0; i < 2 * VKT_COUNT(errors); i++) {
        struct vkt t = *vkt_device(VKT_TESTED);
        const bool fails = i / 2, is_creation = i % 2;
        fake->open_errno = is_creation ? 0 : errors[i / 2];
        fake->create_errno = errors[i / 2];
        fake->fails_at = is_creation && fails ? 1 : 0;
        VkInstance instance = another_instance(&t.physical);
        fake->open_errno = fake->create_errno = 0;
        fake->fails_at = 0;
        assert_int_equal(vkt_has_extension(&t, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME), !fails);
        const VkPhysicalDeviceExternalBufferInfo info = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, .handleType = DMA_BUF};
        VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        vkGetPhysicalDeviceExternalBufferProperties(t.physical, &info, &properties);
        assert_int_equal(properties.externalMemoryProperties.externalMemoryFeatures != 0, !fails);
        vkDestroyInstance(instance, NULL);
    }
}

/* Every failure is an error of the call, and leaves nothing behind: the next call succeeds. */
static void failures_are_survived(void **state)
{
    SKIP_WITHOUT_FAKE();
    struct side s = open_side();
    VkDeviceMemory memory;
    int fd = -1;
    const unsigned created = fake->created;
    fake->open_errno = EPERM; /* the permission was withdrawn */
    assert_int_equal(export_memory(&s, SHARED_B, DMA_BUF, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    fake->open_errno = 0;
    fake->create_errno = EMFILE;
    fake->fails_at = 1;
    assert_int_equal(export_memory(&s, SHARED_B, DMA_BUF, &memory), VK_ERROR_TOO_MANY_OBJECTS);
    fake->create_errno = ENOMEM;
    fake->fails_at = 2;
    vkt_ok(export_memory(&s, SHARED_B, DMA_BUF, &memory));
    VkDeviceMemory second;
    assert_int_equal(export_memory(&s, SHARED_B, DMA_BUF, &second), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(fake->created, created + 1);
    fake->open_errno = EPERM; /* this memory has its dma-buf since it was allocated */
    fd = dma_buf(&s, memory);
    fake->open_errno = 0;
    /* A dma-buf that cannot be mapped cannot be imported. */
    struct side other = open_side();
    fake->mmap_errno = ENODEV;
    refuse(&other, fd, SHARED_B);
    fake->mmap_errno = EACCES;
    refuse(&other, fd, SHARED_B);
    fake->mmap_errno = 0;
    vkt_ok(import(&other, fd, SHARED_B, &second));
    vkFreeMemory(other.t.device, second, NULL);
    close_side(&other);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

/* The kernel has a limit for dma-bufs, which the driver may know or meet. Other memory has none. */
static void large_memory_is_not_exported(void **state)
{
    SKIP_WITHOUT_FAKE();
    const uint64_t kept_B = fake->limit_B;
    fake->limit_B = 1 << 20;
    for (int hides = 0; hides < 2; hides++) {
        fake->hides_limit = hides;
        struct vkt t = *vkt_device(VKT_TESTED);
        VkInstance instance = another_instance(&t.physical);
        const float priority = 1;
        const VkDeviceQueueCreateInfo queue = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
        static const char *const names[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                            VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME};
        const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                         .queueCreateInfoCount = 1,
                                         .pQueueCreateInfos = &queue,
                                         .enabledExtensionCount = VKT_COUNT(names),
                                         .ppEnabledExtensionNames = names};
        struct side s = {.t = t};
        vkt_ok(vkCreateDevice(t.physical, &info, NULL, &s.t.device));
        VkDeviceMemory memory;
        assert_int_equal(export_memory(&s, (1 << 20) + 4096, DMA_BUF, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
        vkt_ok(export_memory(&s, 1 << 20, DMA_BUF, &memory));
        vkFreeMemory(s.t.device, memory, NULL);
        vkt_ok(export_memory(&s, (1 << 20) + 4096, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, &memory));
        vkFreeMemory(s.t.device, memory, NULL);
        vkDestroyDevice(s.t.device, NULL);
        vkDestroyInstance(instance, NULL);
    }
    fake->hides_limit = false;
    fake->limit_B = kept_B;
}

/* ---------------------------------------------------------------- ownership */

/* Accesses of the CPU begin when memory comes from another driver and end when it goes there, in the order of the
 * commands; other barriers do nothing. */
static void transfers_begin_and_end_accesses(void **state)
{
    SKIP_WITHOUT_FAKE();
    struct side s = open_side();
    VkDeviceMemory memory = exported(&s, SHARED_B), plain;
    VkBuffer buffers[2];
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = SHARED_B};
    vkt_ok(vkAllocateMemory(s.t.device, &info, NULL, &plain));
    for (int i = 0; i < 2; i++) {
        const VkExternalMemoryBufferCreateInfo external = {
            .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = DMA_BUF};
        const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                           .pNext = i ? NULL : &external,
                                           .size = SHARED_B,
                                           .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
        VkMemoryRequirements req;
        vkt_ok(vkCreateBuffer(s.t.device, &create, NULL, &buffers[i]));
        vkGetBufferMemoryRequirements(s.t.device, buffers[i], &req);
        vkt_ok(vkBindBufferMemory(s.t.device, buffers[i], i ? plain : memory, 0));
    }
    const struct {
        uint32_t from, to;
        bool is_plain;
        unsigned begun, ended;
    } cases[] = {
        {VK_QUEUE_FAMILY_FOREIGN_EXT, 0, false, 1, 0},
        {0, VK_QUEUE_FAMILY_FOREIGN_EXT, false, 0, 1},
        {VK_QUEUE_FAMILY_EXTERNAL_KHR, 0, false, 1, 0},
        {0, VK_QUEUE_FAMILY_EXTERNAL_KHR, false, 0, 1},
        {VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, false, 0, 0},
        {VK_QUEUE_FAMILY_FOREIGN_EXT, 0, true, 0, 0},
        {0, VK_QUEUE_FAMILY_FOREIGN_EXT, true, 0, 0},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        const unsigned begun = fake->begun, ended = fake->ended;
        VkCommandBuffer cmd = vkt_begin(&s.t);
        const VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                               .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                               .srcQueueFamilyIndex = cases[i].from,
                                               .dstQueueFamilyIndex = cases[i].to,
                                               .buffer = buffers[cases[i].is_plain],
                                               .size = VK_WHOLE_SIZE};
        vkCmdFillBuffer(cmd, barrier.buffer, 0, VK_WHOLE_SIZE, i);
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 1,
                             &barrier, 0, NULL);
        assert_int_equal(fake->begun - begun, 0); /* not when it is recorded */
        vkt_end_submit(&s.t, cmd);
        assert_int_equal(fake->begun - begun, cases[i].begun);
        assert_int_equal(fake->ended - ended, cases[i].ended);
    }
    for (int i = 0; i < 2; i++)
        vkDestroyBuffer(s.t.device, buffers[i], NULL);
    vkFreeMemory(s.t.device, plain, NULL);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    fake = dlsym(RTLD_DEFAULT, FAKE_UDMABUF_CONTROL);
    if (argc == 2)
        return child(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(memory_is_exported_as_a_dma_buf, vkt_check_messages),
        cmocka_unit_test_teardown(imports_alias, vkt_check_messages),
        cmocka_unit_test_teardown(dma_bufs_cross_processes, vkt_check_messages),
        cmocka_unit_test_teardown(what_is_no_dma_buf_is_refused, vkt_check_messages),
        cmocka_unit_test_teardown(the_device_checks_what_it_gets, vkt_check_messages),
        cmocka_unit_test_teardown(without_the_device_nothing_is_reported, vkt_check_messages),
        cmocka_unit_test_teardown(failures_are_survived, vkt_check_messages),
        cmocka_unit_test_teardown(large_memory_is_not_exported, vkt_check_messages),
        cmocka_unit_test_teardown(transfers_begin_and_end_accesses, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_dma_buf", tests, NULL, vkt_teardown);
}
