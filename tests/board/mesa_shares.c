/* SPDX-License-Identifier: MIT
 *
 * Mesa's OpenGL driver of the chip and this driver on one kernel, in one process: both draw, into each other's buffers,
 * and wait for each other by sync files. Runs in the guest of ./run board (or on a Raspberry Pi) with VC4VK_DEVICE=drm.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <vulkan/vulkan.h>

#define WIDTH_PX  96u
#define HEIGHT_PX 64u
#define STRIDE_B  (WIDTH_PX * 4)
#define SIZE_B    (STRIDE_B * HEIGHT_PX)
#define XRGB8888  0x34325258 /* DRM_FORMAT_XRGB8888 */

static struct {
    EGLDisplay display;
    EGLContext context;
    PFNEGLCREATEIMAGEKHRPROC create_image;
    PFNEGLDESTROYIMAGEKHRPROC destroy_image;
    PFNEGLCREATESYNCKHRPROC create_sync;
    PFNEGLDESTROYSYNCKHRPROC destroy_sync;
    PFNEGLWAITSYNCKHRPROC wait_sync;
    PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fence;
    PFNEGLEXPORTDMABUFIMAGEMESAPROC export_image;
    PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC query_image;
    PFNGLEGLIMAGETARGETTEXTURE2DOESPROC image_to_texture;
} gl;

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    PFN_vkGetMemoryFdKHR get_memory_fd;
    PFN_vkGetSemaphoreFdKHR get_semaphore_fd;
    PFN_vkImportSemaphoreFdKHR import_semaphore_fd;
} vk;

/* -- OpenGL -------------------------------------------------------------------------------------------------------- */

static void open_gl(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    assert_non_null(get_display);
    gl.display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    assert_true(eglInitialize(gl.display, NULL, NULL));
    assert_true(eglBindAPI(EGL_OPENGL_ES_API));
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                    EGL_NONE};
    static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig config;
    EGLint count;
    assert_true(eglChooseConfig(gl.display, wanted, &config, 1, &count) && count);
    gl.context = eglCreateContext(gl.display, config, EGL_NO_CONTEXT, attributes);
    assert_true(gl.context != EGL_NO_CONTEXT);
    assert_true(eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl.context));
    gl.create_image = (void *)eglGetProcAddress("eglCreateImageKHR");
    gl.destroy_image = (void *)eglGetProcAddress("eglDestroyImageKHR");
    gl.create_sync = (void *)eglGetProcAddress("eglCreateSyncKHR");
    gl.destroy_sync = (void *)eglGetProcAddress("eglDestroySyncKHR");
    gl.wait_sync = (void *)eglGetProcAddress("eglWaitSyncKHR");
    gl.dup_fence = (void *)eglGetProcAddress("eglDupNativeFenceFDANDROID");
    gl.export_image = (void *)eglGetProcAddress("eglExportDMABUFImageMESA");
    gl.query_image = (void *)eglGetProcAddress("eglExportDMABUFImageQueryMESA");
    gl.image_to_texture = (void *)eglGetProcAddress("glEGLImageTargetTexture2DOES");
    assert_true(gl.create_image && gl.create_sync && gl.wait_sync && gl.dup_fence && gl.export_image &&
                gl.image_to_texture);
}

static GLuint compile(GLenum stage, const char *source)
{
    const GLuint shader = glCreateShader(stage);
    GLint ok;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    assert_true(ok);
    return shader;
}

static GLuint link_program(const char *fragment)
{
    static const char vertex[] =
        "attribute vec2 p; varying vec2 t; void main() { t = 0.5 * p + 0.5; gl_Position = vec4(p, 0, 1); }";
    const GLuint program = glCreateProgram();
    GLint ok;
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(program, 0, "p");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    assert_true(ok);
    return program;
}

static void draw(GLuint program)
{
    static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
    glViewport(0, 0, WIDTH_PX, HEIGHT_PX);
    glUseProgram(program);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Red grows with x and green with y, in steps that no rounding can miss. */
static const char ramp[] = "precision highp float; varying vec2 t; void main() {"
                           "gl_FragColor = vec4(floor(t.x * 12.0) / 15.0, floor(t.y * 8.0) / 15.0, 0.2, 1); }";

static uint32_t ramp_texel(uint32_t x, uint32_t y)
{
    return x / 8 * 17 << 16 | y / 8 * 17 << 8 | 51;
}

static GLuint texture_of(EGLImageKHR image)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    gl.image_to_texture(GL_TEXTURE_2D, image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    return texture;
}

static GLuint framebuffer_of(GLuint texture)
{
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    assert_int_equal(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    return framebuffer;
}

static GLuint new_texture(void)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH_PX, HEIGHT_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

/* A sync file that signals when what has been drawn is done. */
static int gl_fence(void)
{
    const EGLSyncKHR sync = gl.create_sync(gl.display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
    assert_true(sync != EGL_NO_SYNC_KHR);
    glFlush();
    const int fd = gl.dup_fence(gl.display, sync);
    assert_true(fd >= 0);
    gl.destroy_sync(gl.display, sync);
    return fd;
}

/* OpenGL's later commands wait for the sync file, which is taken. */
static void gl_wait(int fd)
{
    const EGLint attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE};
    const EGLSyncKHR sync = gl.create_sync(gl.display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);
    assert_true(sync != EGL_NO_SYNC_KHR);
    assert_true(gl.wait_sync(gl.display, sync, 0));
    gl.destroy_sync(gl.display, sync);
}

static EGLImageKHR import_image(int fd)
{
    const EGLint attributes[] = {EGL_WIDTH,
                                 WIDTH_PX,
                                 EGL_HEIGHT,
                                 HEIGHT_PX,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 XRGB8888,
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 fd,
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 0,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 STRIDE_B,
                                 EGL_NONE};
    const EGLImageKHR image = gl.create_image(gl.display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
    assert_true(image != EGL_NO_IMAGE_KHR);
    return image;
}

/* -- Vulkan -------------------------------------------------------------------------------------------------------- */

static void ok(VkResult result)
{
    assert_int_equal(result, VK_SUCCESS);
}

static void open_vk(void)
{
    uint32_t count = 1;
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    ok(vkCreateInstance(
        &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL,
        &vk.instance));
    assert_true(vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) >= 0 && count);
    static const char *const extensions[] = {"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd"};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    ok(vkCreateDevice(vk.physical,
                      &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue,
                                            .enabledExtensionCount = 2,
                                            .ppEnabledExtensionNames = extensions},
                      NULL, &vk.device));
    vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
    ok(vkCreateCommandPool(vk.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO},
                           NULL, &vk.pool));
    vk.get_memory_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vk.device, "vkGetMemoryFdKHR");
    vk.get_semaphore_fd = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(vk.device, "vkGetSemaphoreFdKHR");
    vk.import_semaphore_fd = (PFN_vkImportSemaphoreFdKHR)vkGetDeviceProcAddr(vk.device, "vkImportSemaphoreFdKHR");
    assert_true(vk.get_memory_fd && vk.get_semaphore_fd && vk.import_semaphore_fd);
}

struct shared_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *texels;
};

/* A buffer in memory that is to be exported, or in that of `fd`, which is taken. */
static struct shared_buffer make_buffer(bool exports, int fd, VkDeviceSize memory_B)
{
    struct shared_buffer b;
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = exports || fd >= 0 ? &external : NULL,
                                     .size = SIZE_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    ok(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk.device, b.buffer, &needs);
    const VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                               .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                            .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                            .fd = fd};
    ok(vkAllocateMemory(vk.device,
                        &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                .pNext = fd >= 0   ? (const void *)&import
                                                         : exports ? &export
                                                                   : NULL,
                                                .allocationSize = fd >= 0 ? memory_B : needs.size},
                        NULL, &b.memory));
    ok(vkBindBufferMemory(vk.device, b.buffer, b.memory, 0));
    ok(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)&b.texels));
    return b;
}

static void destroy_buffer(struct shared_buffer *b)
{
    vkDestroyBuffer(vk.device, b->buffer, NULL);
    vkFreeMemory(vk.device, b->memory, NULL);
}

static int export_memory(const struct shared_buffer *b)
{
    int fd = -1;
    ok(vk.get_memory_fd(vk.device,
                        &(VkMemoryGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                                .memory = b->memory,
                                                .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT},
                        &fd));
    return fd;
}

static VkSemaphore make_semaphore(void)
{
    VkSemaphore semaphore;
    const VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                                .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
    ok(vkCreateSemaphore(vk.device,
                         &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &export},
                         NULL, &semaphore));
    return semaphore;
}

/* Copies a buffer, after a semaphore and before another one if they are given. */
static VkCommandBuffer submit_copy(const struct shared_buffer *from, const struct shared_buffer *to, VkSemaphore wait,
                                   VkSemaphore signal)
{
    VkCommandBuffer cmd;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    ok(vkAllocateCommandBuffers(vk.device,
                                &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                               .commandPool = vk.pool,
                                                               .commandBufferCount = 1},
                                &cmd));
    ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkCmdCopyBuffer(cmd, from->buffer, to->buffer, 1, &(VkBufferCopy){.size = SIZE_B});
    ok(vkEndCommandBuffer(cmd));
    ok(vkQueueSubmit(vk.queue, 1,
                     &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                     .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                                     .pWaitSemaphores = &wait,
                                     .pWaitDstStageMask = &stage,
                                     .commandBufferCount = 1,
                                     .pCommandBuffers = &cmd,
                                     .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                                     .pSignalSemaphores = &signal},
                     VK_NULL_HANDLE));
    return cmd;
}

/* The queue waits for the sync file, which is taken, and copies. */
static void copy_after(const struct shared_buffer *from, const struct shared_buffer *to, int fence)
{
    const VkSemaphore semaphore = make_semaphore();
    ok(vk.import_semaphore_fd(vk.device,
                              &(VkImportSemaphoreFdInfoKHR){.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                                            .semaphore = semaphore,
                                                            .flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
                                                            .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
                                                            .fd = fence}));
    VkCommandBuffer cmd = submit_copy(from, to, semaphore, VK_NULL_HANDLE);
    ok(vkQueueWaitIdle(vk.queue));
    vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
    vkDestroySemaphore(vk.device, semaphore, NULL);
}

static void assert_ramp(const uint32_t *texels)
{
    for (uint32_t y = 0; y < HEIGHT_PX; y++)
        for (uint32_t x = 0; x < WIDTH_PX; x++)
            if ((texels[y * WIDTH_PX + x] & 0xffffff) != ramp_texel(x, y))
                fail_msg("texel %u,%u is 0x%06x, not 0x%06x", x, y, texels[y * WIDTH_PX + x] & 0xffffff,
                         ramp_texel(x, y));
}

/* -- cases --------------------------------------------------------------------------------------------------------- */

static int open_both(void **state)
{
    open_gl();
    open_vk();
    return 0;
}

static void read_ramp(void)
{
    uint8_t *rgba = malloc(SIZE_B);
    assert_non_null(rgba);
    glReadPixels(0, 0, WIDTH_PX, HEIGHT_PX, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
        const uint32_t texel = (uint32_t)rgba[4 * i] << 16 | rgba[4 * i + 1] << 8 | rgba[4 * i + 2];
        if (texel != ramp_texel(i % WIDTH_PX, i / WIDTH_PX))
            fail_msg("texel %u,%u is 0x%06x", i % WIDTH_PX, i / WIDTH_PX, texel);
    }
    free(rgba);
}

static void mesa_draws_on_the_chip(void **state)
{
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    print_message("# OpenGL: %s, %s\n", renderer, (const char *)glGetString(GL_VERSION));
    assert_non_null(strstr(renderer, "VC4"));
    framebuffer_of(new_texture());
    draw(link_program(ramp));
    read_ramp();
}

static void vulkan_runs_on_the_kernel(void **state)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(vk.physical, &properties);
    print_message("# Vulkan: %s\n", properties.deviceName);
    assert_null(strstr(properties.deviceName, "model"));
    assert_int_equal(properties.vendorID, 0x14e4);
}

/* Mesa draws into memory of ours; our queue waits for its sync file. */
static void mesa_draws_into_our_memory(void **state)
{
    struct shared_buffer ours = make_buffer(true, -1, 0), copy = make_buffer(false, -1, 0);
    const int fd = export_memory(&ours);
    const EGLImageKHR image = import_image(fd);
    close(fd);
    const GLuint texture = texture_of(image), framebuffer = framebuffer_of(texture);
    draw(link_program(ramp));
    copy_after(&ours, &copy, gl_fence());
    assert_ramp(copy.texels);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
    gl.destroy_image(gl.display, image);
    destroy_buffer(&ours);
    destroy_buffer(&copy);
}

/* Our queue writes memory that Mesa samples; Mesa waits for our sync file. */
static void mesa_samples_our_memory(void **state)
{
    struct shared_buffer ours = make_buffer(true, -1, 0), source = make_buffer(false, -1, 0);
    for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        source.texels[i] = ramp_texel(i % WIDTH_PX, i / WIDTH_PX);
    const VkSemaphore semaphore = make_semaphore();
    VkCommandBuffer cmd = submit_copy(&source, &ours, VK_NULL_HANDLE, semaphore);
    int fence = -1;
    ok(vk.get_semaphore_fd(vk.device,
                           &(VkSemaphoreGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                                      .semaphore = semaphore,
                                                      .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT},
                           &fence));
    if (fence >= 0) /* -1: has signalled */
        gl_wait(fence);
    const int fd = export_memory(&ours);
    const EGLImageKHR image = import_image(fd);
    close(fd);
    framebuffer_of(new_texture());
    const GLuint texture = texture_of(image);
    draw(link_program(
        "precision highp float; varying vec2 t; uniform sampler2D s; void main() { gl_FragColor = texture2D(s, t); }"));
    read_ramp();
    ok(vkQueueWaitIdle(vk.queue));
    vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
    vkDestroySemaphore(vk.device, semaphore, NULL);
    glDeleteTextures(1, &texture);
    gl.destroy_image(gl.display, image);
    destroy_buffer(&ours);
    destroy_buffer(&source);
}

/* We read memory that Mesa has allocated and drawn to. Its layout is Mesa's choice, so only the first texels are
 * compared, which every layout of equal colours shares. */
static void we_read_memory_of_mesa(void **state)
{
    const GLuint drawn = new_texture();
    const EGLint none[] = {EGL_NONE};
    const EGLImageKHR image =
        gl.create_image(gl.display, gl.context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)drawn, none);
    assert_true(image != EGL_NO_IMAGE_KHR);
    int fourcc = 0, planes = 0, fd = -1;
    EGLuint64KHR modifier = 0;
    EGLint stride_B = 0, offset_B = 0;
    assert_true(gl.query_image(gl.display, image, &fourcc, &planes, &modifier));
    assert_true(gl.export_image(gl.display, image, &fd, &stride_B, &offset_B));
    const off_t memory_B = lseek(fd, 0, SEEK_END);
    print_message("# Mesa's buffer: %d planes, modifier 0x%llx, %d bytes in a row, %lld in all\n", planes,
                  (unsigned long long)modifier, stride_B, (long long)memory_B);
    assert_true(memory_B >= (off_t)SIZE_B && !offset_B);

    framebuffer_of(drawn);
    draw(link_program("precision highp float; void main() { gl_FragColor = vec4(0.2, 0.4, 0.6, 1); }"));
    struct shared_buffer theirs = make_buffer(false, fd, (VkDeviceSize)memory_B), copy = make_buffer(false, -1, 0);
    copy_after(&theirs, &copy, gl_fence());
    for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
        uint8_t bytes[4];
        memcpy(bytes, &copy.texels[i], 4);
        const bool is_right = bytes[1] == 102 && bytes[3] == 255 &&
                              ((bytes[0] == 51 && bytes[2] == 153) || (bytes[0] == 153 && bytes[2] == 51));
        if (!is_right)
            fail_msg("texel %u is 0x%08x", i, copy.texels[i]);
    }
    gl.destroy_image(gl.display, image);
    destroy_buffer(&theirs);
    destroy_buffer(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesa_draws_on_the_chip),     cmocka_unit_test(vulkan_runs_on_the_kernel),
        cmocka_unit_test(mesa_draws_into_our_memory), cmocka_unit_test(mesa_samples_our_memory),
        cmocka_unit_test(we_read_memory_of_mesa),
    };
    return cmocka_run_group_tests(tests, open_both, NULL);
}
