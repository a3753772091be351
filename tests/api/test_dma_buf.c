/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_external_memory_dma_buf, VK_EXT_image_drm_format_modifier and VK_EXT_queue_family_foreign: memory and images
 * that are shared as dma-bufs. On the model the kernel makes them (/dev/udmabuf); fake_udmabuf.c, if it is preloaded,
 * stands for that device and fails when told to. The second process is this program, started again with the number of
 * the file descriptor that it inherits.
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
#include "full.vert.h"
#include "texture.frag.h"

extern char **environ;

#define SHARED_B     (1u << 16)
#define LINEAR       UINT64_C(0)               /* DRM_FORMAT_MOD_LINEAR */
#define OTHER        ((UINT64_C(7) << 56) | 1) /* DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED */
#define DMA_BUF      VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
#define W            60u /* rows are no multiple of 64 bytes */
#define H            44u
#define TEXEL_FORMAT VK_FORMAT_R8G8B8A8_UNORM

static const char *own_path;
static struct fake_udmabuf *fake; /* NULL: not preloaded */

static const char *const extensions[] = {
    VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
    VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
    VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,
    VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME,
    VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
};

struct side {
    struct vkt t;
    PFN_vkGetMemoryFdKHR GetMemoryFd;
    PFN_vkGetMemoryFdPropertiesKHR GetMemoryFdProperties;
    PFN_vkGetImageMemoryRequirements2KHR GetImageMemoryRequirements2;
    PFN_vkBindImageMemory2KHR BindImageMemory2;
    PFN_vkGetImageDrmFormatModifierPropertiesEXT GetImageDrmFormatModifierProperties;
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
    GET(GetImageMemoryRequirements2, KHR);
    GET(BindImageMemory2, KHR);
    GET(GetImageDrmFormatModifierProperties, EXT);
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
    /* Imported memory is exported again, as from any other memory. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkMemoryGetFdInfoKHR-handleType-00671");
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
        assert_int_equal(vkt_has_extension(&t, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME), !fails);
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

/* ---------------------------------------------------------------- images */

static const VkExternalMemoryImageCreateInfo external_image = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .handleTypes = DMA_BUF};

static VkImageCreateInfo image_info(VkFormat format, uint32_t width, uint32_t height, VkImageUsageFlags usage,
                                    const void *chain)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .pNext = chain,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format,
                               .extent = {width, height, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
                               .usage = usage};
}

static VkResult create_listed(const struct side *s, const uint64_t *modifiers, uint32_t count, VkImage *out)
{
    const VkImageDrmFormatModifierListCreateInfoEXT list = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
        .pNext = &external_image,
        .drmFormatModifierCount = count,
        .pDrmFormatModifiers = modifiers};
    const VkImageCreateInfo info =
        image_info(TEXEL_FORMAT, W, H, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, &list);
    return vkCreateImage(s->t.device, &info, NULL, out);
}

static VkResult create_explicit(const struct side *s, VkFormat format, VkImageUsageFlags usage,
                                VkImageCreateFlags flags, const VkSubresourceLayout *planes, uint32_t count,
                                VkImage *out)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT given = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
        .pNext = &external_image,
        .drmFormatModifier = LINEAR,
        .drmFormatModifierPlaneCount = count,
        .pPlaneLayouts = planes};
    VkImageCreateInfo info = image_info(format, W, H, usage, &given);
    info.flags = flags;
    return vkCreateImage(s->t.device, &info, NULL, out);
}

static VkSubresourceLayout layout_of(const struct side *s, VkImage image, VkImageAspectFlagBits aspect)
{
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(s->t.device, image, &(VkImageSubresource){.aspectMask = aspect}, &layout);
    return layout;
}

/* Formats list the modifier with the features of linear images; other modifiers are not supported. */
static void formats_list_their_modifiers(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    const struct vkt *t = vkt_device(VKT_TESTED);
    const struct {
        VkFormat format;
        uint32_t planes; /* 0: no modifier */
    } formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, 1},
                   {VK_FORMAT_B8G8R8A8_UNORM, 1},
                   {VK_FORMAT_R8_UNORM, 1},
                   {VK_FORMAT_R5G6B5_UNORM_PACK16, 1},
                   {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1},
                   {VK_FORMAT_R16G16B16A16_SFLOAT, 1},
                   {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 2},
                   {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 3},
                   {VK_FORMAT_D16_UNORM, 0},
                   {VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0}};
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        VkDrmFormatModifierPropertiesEXT found[4];
        VkDrmFormatModifierPropertiesListEXT list = {.sType =
                                                         VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
        VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
        vkGetPhysicalDeviceFormatProperties2(t->physical, formats[i].format, &properties);
        assert_int_equal(list.drmFormatModifierCount, formats[i].planes != 0);
        list.drmFormatModifierCount = VKT_COUNT(found);
        list.pDrmFormatModifierProperties = found;
        vkGetPhysicalDeviceFormatProperties2(t->physical, formats[i].format, &properties);
        assert_int_equal(list.drmFormatModifierCount, formats[i].planes != 0);
        if (!formats[i].planes)
            continue;
        assert_int_equal(found[0].drmFormatModifier, LINEAR);
        assert_int_equal(found[0].drmFormatModifierPlaneCount, formats[i].planes);
        assert_int_equal(found[0].drmFormatModifierTilingFeatures, properties.formatProperties.linearTilingFeatures);
        VkDrmFormatModifierProperties2EXT found2 = {0};
        VkDrmFormatModifierPropertiesList2EXT list2 = {.sType =
                                                           VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT,
                                                       .drmFormatModifierCount = 1,
                                                       .pDrmFormatModifierProperties = &found2};
        properties.pNext = &list2;
        vkGetPhysicalDeviceFormatProperties2(t->physical, formats[i].format, &properties);
        assert_int_equal(list2.drmFormatModifierCount, 1);
        assert_int_equal(found2.drmFormatModifier, LINEAR);
        assert_int_equal(found2.drmFormatModifierPlaneCount, formats[i].planes);
        assert_int_equal(found2.drmFormatModifierTilingFeatures & found[0].drmFormatModifierTilingFeatures,
                         found[0].drmFormatModifierTilingFeatures);
    }
    for (int is_linear = 0; is_linear < 2; is_linear++) {
        const VkPhysicalDeviceExternalImageFormatInfo external = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, .handleType = DMA_BUF};
        const VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
            .pNext = &external,
            .drmFormatModifier = is_linear ? LINEAR : OTHER};
        const VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                       .pNext = &modifier,
                                                       .format = TEXEL_FORMAT,
                                                       .type = VK_IMAGE_TYPE_2D,
                                                       .tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
                                                       .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                                VK_IMAGE_USAGE_SAMPLED_BIT};
        VkExternalImageFormatProperties sharing = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
        VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &sharing};
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties2(t->physical, &info, &limits),
                         is_linear ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
        if (!is_linear)
            continue;
        assert_true(limits.imageFormatProperties.maxExtent.width >= 2048);
        assert_int_equal(limits.imageFormatProperties.maxMipLevels, 1);
        assert_int_equal(limits.imageFormatProperties.maxArrayLayers, 1);
        VkPhysicalDeviceImageFormatInfo2 volume = info;
        volume.type = VK_IMAGE_TYPE_3D;
        VkImageFormatProperties2 none = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties2(t->physical, &volume, &none),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        assert_int_equal(sharing.externalMemoryProperties.externalMemoryFeatures,
                         VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
        assert_true(sharing.externalMemoryProperties.compatibleHandleTypes & DMA_BUF);
    }
}

/* Rows that the driver can use are used as they are; others are refused. */
static void rows_are_as_asked_for(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    struct side s = open_side();
    VkImage image;
    const uint64_t modifiers[] = {OTHER, LINEAR};
    vkt_accept_message(vkt_device(VKT_TESTED),
                       "VUID-VkImageDrmFormatModifierListCreateInfoEXT-pDrmFormatModifiers-02263 "
                       "VUID-VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifierPlaneCount-02265 "
                       "VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251 VUID-VkImageCreateInfo-pNext-00990");
    assert_int_equal(create_listed(&s, modifiers, 1, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
    vkt_ok(create_listed(&s, modifiers, 2, &image));
    VkImageDrmFormatModifierPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT, .drmFormatModifier = OTHER};
    vkt_ok(s.GetImageDrmFormatModifierProperties(s.t.device, image, &properties));
    assert_int_equal(properties.drmFormatModifier, LINEAR);
    const VkSubresourceLayout chosen = layout_of(&s, image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT);
    assert_int_equal(chosen.rowPitch, 256); /* what the pickiest importers need */
    assert_int_equal(chosen.offset, 0);
    assert_true(chosen.size >= 256 * (H - 1) + 4 * W);
    vkDestroyImage(s.t.device, image, NULL);
    const struct {
        VkFormat format;
        uint64_t offset_B, pitch_B;
        bool is_refused;
    } cases[] = {
        {TEXEL_FORMAT, 0, 240, false},
        {TEXEL_FORMAT, 0, 256, false},
        {TEXEL_FORMAT, 4096, 1024, false},
        {TEXEL_FORMAT, 64, 240, false},
        {TEXEL_FORMAT, 0, 239, true}, /* too short */
        {TEXEL_FORMAT, 0, 224, true},
        {TEXEL_FORMAT, 0, 244, true}, /* not whole microtiles */
        {TEXEL_FORMAT, 32, 240, true},
        {TEXEL_FORMAT, 0, 1 << 20, true},
        {TEXEL_FORMAT, UINT64_MAX & ~UINT64_C(63), 240, true},
        {TEXEL_FORMAT, 0, UINT64_MAX & ~UINT64_C(63), true},
        {VK_FORMAT_R8_UNORM, 0, 64, false},
        {VK_FORMAT_R8_UNORM, 0, 60, true},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 0, 480, false},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 0, 512, false},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        const VkSubresourceLayout plane = {.offset = cases[i].offset_B, .rowPitch = cases[i].pitch_B};
        VkResult result = create_explicit(&s, cases[i].format, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &plane, 1, &image);
        assert_int_equal(result,
                         cases[i].is_refused ? VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT : VK_SUCCESS);
        if (result != VK_SUCCESS)
            continue;
        const VkSubresourceLayout got = layout_of(&s, image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT);
        assert_int_equal(got.offset, cases[i].offset_B);
        assert_int_equal(got.rowPitch, cases[i].pitch_B);
        VkMemoryRequirements req;
        vkGetImageMemoryRequirements(s.t.device, image, &req);
        assert_true(req.size >= cases[i].offset_B + cases[i].pitch_B * H);
        assert_true(req.size < cases[i].offset_B + cases[i].pitch_B * H + 4096);
        vkDestroyImage(s.t.device, image, NULL);
    }
    const VkSubresourceLayout planes[2] = {{.rowPitch = 256}, {.offset = 16384, .rowPitch = 256}};
    assert_int_equal(create_explicit(&s, TEXEL_FORMAT, VK_IMAGE_USAGE_SAMPLED_BIT, 0, planes, 2, &image),
                     VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
    close_side(&s);
}

struct shared_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

static VkImageView make_view(const struct side *s, VkImage image)
{
    VkImageView view;
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = TEXEL_FORMAT,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkt_ok(vkCreateImageView(s->t.device, &info, NULL, &view));
    return view;
}

static void destroy_shared(const struct side *s, struct shared_image *i)
{
    vkDestroyImageView(s->t.device, i->view, NULL);
    vkDestroyImage(s->t.device, i->image, NULL);
    vkFreeMemory(s->t.device, i->memory, NULL);
}

/* Draws the texture over all of a target, into its framebuffer or into another one. */
static void draw(struct vkt *t, const struct vkt_target *target, VkFramebuffer framebuffer, VkImageView texture)
{
    struct vkt_target into = *target;
    into.framebuffer = framebuffer;
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    vkt_set_texture(t, set, 0, texture, sampler);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                           .fs = VKT_SHADER(texture_frag),
                                                           .pass = target->pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .set_layouts = {set_layout},
                                                           .set_layout_count = 1,
                                                           .push_size_B = 16});
    const float push[4] = {0};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &into, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkDestroySampler(t->device, sampler, NULL);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
}

static uint8_t texels[W * H * 4];

static void expected_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, texels + 4 * (y * W + x), 4);
}

/* Makes an image with rows of `pitch_B` (0: as the driver likes), draws the texels to it and exports it. */
static struct shared_image draw_shared(struct side *s, uint64_t pitch_B)
{
    struct shared_image i;
    const uint64_t modifier = LINEAR;
    const VkSubresourceLayout plane = {.rowPitch = pitch_B};
    vkt_ok(pitch_B ? create_explicit(s, TEXEL_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                                     0, &plane, 1, &i.image)
                   : create_listed(s, &modifier, 1, &i.image));
    VkMemoryRequirements req;
    vkGetImageMemoryRequirements(s->t.device, i.image, &req);
    i.memory = exported(s, req.size);
    vkt_ok(vkBindImageMemory(s->t.device, i.image, i.memory, 0));
    i.view = make_view(s, i.image);
    struct vkt_image texture = vkt_image_create(
        &s->t, &(struct vkt_image_info){.format = TEXEL_FORMAT,
                                        .width = W,
                                        .height = H,
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(&s->t, &texture, 0, 0, texels, sizeof texels);
    const VkAttachmentDescription attachment = {.format = TEXEL_FORMAT,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    const VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                              .attachmentCount = 1,
                                              .pAttachments = &attachment,
                                              .subpassCount = 1,
                                              .pSubpasses = &subpass};
    struct vkt_target target = {.width = W, .height = H};
    vkt_ok(vkCreateRenderPass(s->t.device, &pass_info, NULL, &target.pass));
    const VkFramebufferCreateInfo framebuffer_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                      .renderPass = target.pass,
                                                      .attachmentCount = 1,
                                                      .pAttachments = &i.view,
                                                      .width = W,
                                                      .height = H,
                                                      .layers = 1};
    target.color.image = i.image;
    vkt_ok(vkCreateFramebuffer(s->t.device, &framebuffer_info, NULL, &target.framebuffer));
    draw(&s->t, &target, target.framebuffer, texture.view);
    vkDestroyFramebuffer(s->t.device, target.framebuffer, NULL);
    vkDestroyRenderPass(s->t.device, target.pass, NULL);
    vkt_image_destroy(&s->t, &texture);
    return i;
}

static void take_from_others(VkCommandBuffer cmd, VkImage image, VkImageLayout layout)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .newLayout = layout,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_FOREIGN_EXT,
                                          .dstQueueFamilyIndex = 0,
                                          .image = image,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

/* An image that one device draws to is sampled by another, with the rows that the first one tells. The mapped dma-buf
 * has the texels where the layout says. */
static void a_picture_crosses_devices(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    static const uint64_t pitches_B[] = {0, 240, 256, 320, 2048};
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 2654435761u >> 24);
    for (uint32_t p = 0; p < VKT_COUNT(pitches_B); p++) {
        struct side a = open_side(), b = open_side();
        struct shared_image from = draw_shared(&a, pitches_B[p]), to;
        const VkSubresourceLayout told = layout_of(&a, from.image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT);
        assert_int_equal(told.rowPitch, pitches_B[p] ? pitches_B[p] : 256);
        const int fd = dma_buf(&a, from.memory);
        const size_t size_B = (size_t)lseek(fd, 0, SEEK_END);
        const uint8_t *bytes = mmap(NULL, size_B, PROT_READ, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(bytes, MAP_FAILED);
        for (uint32_t y = 0; y < H; y++)
            assert_memory_equal(bytes + told.offset + y * told.rowPitch, texels + y * W * 4, W * 4);
        munmap((void *)(uintptr_t)bytes, size_B);

        const VkSubresourceLayout plane = {.offset = told.offset, .rowPitch = told.rowPitch};
        vkt_ok(create_explicit(&b, TEXEL_FORMAT, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &plane, 1, &to.image));
        VkMemoryRequirements req;
        vkGetImageMemoryRequirements(b.t.device, to.image, &req);
        assert_true(req.size <= size_B);
        vkt_ok(import(&b, fd, size_B, &to.memory));
        vkt_ok(vkBindImageMemory(b.t.device, to.image, to.memory, 0));
        to.view = make_view(&b, to.image);
        struct vkt_target target = vkt_target_create(&b.t, W, H, TEXEL_FORMAT, VK_FORMAT_UNDEFINED);
        VkCommandBuffer cmd = vkt_begin(&b.t);
        take_from_others(cmd, to.image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        vkt_end_submit(&b.t, cmd);
        draw(&b.t, &target, target.framebuffer, to.view);
        struct vkt_picture got = vkt_read_target(&b.t, &target), expected = vkt_picture_compute(W, H, expected_pixel);
        vkt_compare("dma_buf_picture", &expected, &got, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&got);
        vkt_picture_free(&expected);
        vkt_target_destroy(&b.t, &target);
        destroy_shared(&b, &to);
        destroy_shared(&a, &from);
        close_side(&a);
        close_side(&b);
    }
}

static VkDeviceMemory filled(const struct side *s, VkDeviceSize size_B, uint32_t seed)
{
    VkDeviceMemory memory = exported(s, size_B), imported;
    uint8_t *bytes = map(s, memory);
    for (uint32_t i = 0; i < size_B; i++)
        bytes[i] = (uint8_t)((i + seed) * 2654435761u >> 24);
    vkt_ok(import(s, dma_buf(s, memory), size_B, &imported));
    vkFreeMemory(s->t.device, memory, NULL);
    return imported;
}

/* A frame of a video decoder: two planes, in one dma-buf or in one each, at offsets of their own. */
static void a_video_frame_is_imported(void **state)
{
    SKIP_WITHOUT_DMA_BUFS();
    enum { PITCH_B = 128, MEMORY_B = 32768 };
    struct side s = open_side();
    /* Older layers take images with modifiers for linear ones, whose planes have other names. */
    vkt_accept_message(vkt_device(VKT_TESTED),
                       "VUID-VkBindImagePlaneMemoryInfo-planeAspect-02283 VUID-vkBindImageMemory2-pBindInfos-04006 "
                       "VUID-vkBindImageMemory2-pBindInfos-02858");
    /* Layer 1.4.309 does not survive that memory is bound to each plane. */
    const int kinds = getenv("VKT_BARE") ? 2 : 1;
    for (int is_disjoint = 0; is_disjoint < kinds; is_disjoint++) {
        VkImage image;
        const VkSubresourceLayout planes[2] = {{.offset = 64, .rowPitch = PITCH_B},
                                               {.offset = is_disjoint ? 1024 : 64 * PITCH_B, .rowPitch = 2 * PITCH_B}};
        vkt_ok(create_explicit(&s, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                               is_disjoint ? VK_IMAGE_CREATE_DISJOINT_BIT : 0, planes, 2, &image));
        VkDeviceMemory memory[2] = {filled(&s, MEMORY_B, 1), filled(&s, MEMORY_B, 2)};
        for (uint32_t i = 0; i < 2; i++) {
            const VkImagePlaneMemoryRequirementsInfo of_plane = {
                .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
                .planeAspect = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << i};
            const VkImageMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                                         .pNext = is_disjoint ? &of_plane : NULL,
                                                         .image = image};
            VkMemoryRequirements2 req = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
            s.GetImageMemoryRequirements2(s.t.device, &info, &req);
            assert_true(req.memoryRequirements.size <= MEMORY_B);
            const VkSubresourceLayout got = layout_of(&s, image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << i);
            assert_int_equal(got.offset, planes[i].offset);
            assert_int_equal(got.rowPitch, planes[i].rowPitch);
        }
        const VkBindImagePlaneMemoryInfo plane_binds[2] = {{.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
                                                            .planeAspect = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT},
                                                           {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
                                                            .planeAspect = VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT}};
        VkBindImageMemoryInfo binds[2];
        for (uint32_t i = 0; i < 2; i++)
            binds[i] = (VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                               .pNext = is_disjoint ? &plane_binds[i] : NULL,
                                               .image = image,
                                               .memory = memory[i]};
        vkt_ok(s.BindImageMemory2(s.t.device, is_disjoint ? 2 : 1, binds));
        const VkDeviceSize second_B = W * H;
        struct vkt_buffer out = vkt_buffer_create(&s.t, W * H * 2, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        take_from_others(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        const VkBufferImageCopy regions[2] = {
            {.imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0, 1}, .imageExtent = {W, H, 1}},
            {.bufferOffset = second_B,
             .imageSubresource = {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, 1},
             .imageExtent = {W / 2, H / 2, 1}}};
        vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 2, regions);
        vkt_end_submit(&s.t, cmd);
        const uint8_t *got = out.map, *luma = map(&s, memory[0]);
        const uint8_t *chroma = is_disjoint ? map(&s, memory[1]) : luma;
        for (uint32_t y = 0; y < H; y++)
            assert_memory_equal(got + y * W, luma + planes[0].offset + y * planes[0].rowPitch, W);
        for (uint32_t y = 0; y < H / 2; y++)
            assert_memory_equal(got + second_B + y * W, chroma + planes[1].offset + y * planes[1].rowPitch, W);
        vkt_buffer_destroy(&s.t, &out);
        vkDestroyImage(s.t.device, image, NULL);
        for (uint32_t i = 0; i < 2; i++)
            vkFreeMemory(s.t.device, memory[i], NULL);
    }
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
        cmocka_unit_test_teardown(formats_list_their_modifiers, vkt_check_messages),
        cmocka_unit_test_teardown(rows_are_as_asked_for, vkt_check_messages),
        cmocka_unit_test_teardown(a_picture_crosses_devices, vkt_check_messages),
        cmocka_unit_test_teardown(a_video_frame_is_imported, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_dma_buf", tests, NULL, vkt_teardown);
}
