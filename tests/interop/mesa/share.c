/* SPDX-License-Identifier: MIT
 *
 * Sharing through Mesa: an image exported as a dma-buf and imported by a second context on its own device, EGL fences
 * and native fences, a GBM window, and a GBM buffer that the CPU maps.
 */
#include "gl.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const vs = "attribute vec3 position; attribute vec2 extra; varying vec2 at;\n"
                              "void main() { at = extra; gl_Position = vec4(position, 1.0); }\n";
static const char *const texture_fs = "precision mediump float; uniform sampler2D image; varying vec2 at;\n"
                                      "void main() { gl_FragColor = texture2D(image, at); }\n";

/* The dma-buf parameters of an exported texture. */
struct exported {
    int fd, fourcc, planes;
    EGLint stride_B, offset_B;
    EGLuint64KHR modifier;
};

static bool export_texture(const struct gl *gl, GLuint texture, struct exported *out)
{
    PFNEGLCREATEIMAGEKHRPROC create = gl_function("eglCreateImageKHR");
    PFNEGLDESTROYIMAGEKHRPROC destroy = gl_function("eglDestroyImageKHR");
    PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC query = gl_function("eglExportDMABUFImageQueryMESA");
    PFNEGLEXPORTDMABUFIMAGEMESAPROC get = gl_function("eglExportDMABUFImageMESA");
    EGLImageKHR image =
        create(gl->display, gl->context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(uintptr_t)texture, NULL);
    bool ok = image != EGL_NO_IMAGE_KHR && query(gl->display, image, &out->fourcc, &out->planes, &out->modifier) &&
              out->planes == 1 && get(gl->display, image, &out->fd, &out->stride_B, &out->offset_B);
    if (image != EGL_NO_IMAGE_KHR)
        destroy(gl->display, image);
    return ok;
}

static GLuint import_texture(const struct gl *gl, const struct exported *from, EGLint width_px, EGLint height_px)
{
    PFNEGLCREATEIMAGEKHRPROC create = gl_function("eglCreateImageKHR");
    PFNEGLDESTROYIMAGEKHRPROC destroy = gl_function("eglDestroyImageKHR");
    PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target = gl_function("glEGLImageTargetTexture2DOES");
    const EGLint attributes[] = {EGL_WIDTH,
                                 width_px,
                                 EGL_HEIGHT,
                                 height_px,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 from->fourcc,
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 from->fd,
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 from->offset_B,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 from->stride_B,
                                 EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT,
                                 (EGLint)(from->modifier & 0xffffffff),
                                 EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT,
                                 (EGLint)(from->modifier >> 32),
                                 EGL_NONE};
    EGLImageKHR image = create(gl->display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
    if (image == EGL_NO_IMAGE_KHR)
        return 0;
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    target(GL_TEXTURE_2D, image);
    destroy(gl->display, image);
    return texture;
}

/* The first context draws. The second, on its own open file of the node, samples the image and then draws into the same
 * memory. */
static void check_dma_buf(const struct gl *first)
{
    struct exported shared;
    struct gl_target target = gl_target_create(80, 48, GL_TARGET_FLAT);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 40, 24);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glFinish();
    if (!export_texture(first, target.colour, &shared)) {
        gl_check(false, "a texture exported as a dma-buf (0x%x)", (unsigned)eglGetError());
        return;
    }
    printf("# fourcc %.4s, modifier 0x%llx, stride %d\n", (const char *)&shared.fourcc,
           (unsigned long long)shared.modifier, shared.stride_B);
    struct gl second;
    gl_open(&second);
    GLuint imported = import_texture(&second, &shared, 80, 48);
    gl_check(imported != 0, "the dma-buf imported on another file of the node (0x%x)", (unsigned)eglGetError());
    struct gl_target shown = gl_target_create(80, 48, GL_TARGET_FLAT);
    gl_program(vs, texture_fs);
    glBindTexture(GL_TEXTURE_2D, imported);
    gl_rectangle(-1, -1, 1, 1, 0);
    gl_check_pixel(10, 10, 0x00ff00ff, 0, "the other context sees the corner");
    gl_check_pixel(60, 40, 0xff0000ff, 0, "the other context sees the rest");
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, imported, 0);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &imported);
    gl_target_destroy(&shown);
    gl_close(&second);
    close(shared.fd);
    gl_context_use(first, first->context);
    gl_target_use(&target);
    gl_check_pixel(10, 10, 0x0000ffff, 0, "what the other context drew is there");
    gl_target_destroy(&target);
}

static void check_fences(const struct gl *gl)
{
    PFNEGLCREATESYNCKHRPROC create = gl_function("eglCreateSyncKHR");
    PFNEGLCLIENTWAITSYNCKHRPROC client_wait = gl_function("eglClientWaitSyncKHR");
    PFNEGLWAITSYNCKHRPROC wait = gl_function("eglWaitSyncKHR");
    PFNEGLDESTROYSYNCKHRPROC destroy = gl_function("eglDestroySyncKHR");
    struct gl_target target = gl_target_create(64, 64, GL_TARGET_FLAT);
    glClear(GL_COLOR_BUFFER_BIT);
    EGLSyncKHR fence = create(gl->display, EGL_SYNC_FENCE_KHR, NULL);
    gl_check(fence != EGL_NO_SYNC_KHR, "a fence");
    gl_check(client_wait(gl->display, fence, EGL_SYNC_FLUSH_COMMANDS_BIT_KHR, EGL_FOREVER_KHR) ==
                 EGL_CONDITION_SATISFIED_KHR,
             "the fence is reached");
    destroy(gl->display, fence);
    if (!egl_has(gl, "EGL_ANDROID_native_fence_sync")) {
        gl_skip("native fences", "no such extension");
        gl_target_destroy(&target);
        return;
    }
    PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fd = gl_function("eglDupNativeFenceFDANDROID");
    glClear(GL_COLOR_BUFFER_BIT);
    fence = create(gl->display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
    glFlush();
    int fd = dup_fd(gl->display, fence);
    gl_check(fd >= 0, "a native fence has a descriptor");
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    gl_check(poll(&readable, 1, 5000) == 1, "the descriptor becomes readable");
    destroy(gl->display, fence);
    const EGLint given[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE};
    fence = create(gl->display, EGL_SYNC_NATIVE_FENCE_ANDROID, given); /* takes ownership of fd */
    gl_check(fence != EGL_NO_SYNC_KHR && wait(gl->display, fence, 0) == EGL_TRUE, "the chip waits for a native fence");
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    gl_check_pixel(5, 5, 0xffff00ff, 0, "what is drawn after the wait");
    destroy(gl->display, fence);
    gl_target_destroy(&target);
}

/* Draws to a GBM window, swaps, and reads the front buffer with the CPU. */
static void check_window(const struct gl *gl)
{
    static const EGLint wanted[] = {
        EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RED_SIZE, 8, EGL_NONE};
    EGLConfig configs[64], config = NULL;
    EGLint count = 0;
    eglChooseConfig(gl->display, wanted, configs, 64, &count);
    for (EGLint i = 0; i < count && !config; i++) {
        EGLint visual;
        if (eglGetConfigAttrib(gl->display, configs[i], EGL_NATIVE_VISUAL_ID, &visual) && visual == GBM_FORMAT_XRGB8888)
            config = configs[i];
    }
    struct gbm_surface *window =
        gbm_surface_create(gl->gbm, 100, 60, GBM_FORMAT_XRGB8888, GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR);
    EGLSurface surface =
        config && window ? eglCreatePlatformWindowSurface(gl->display, config, window, NULL) : EGL_NO_SURFACE;
    static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLContext context = surface ? eglCreateContext(gl->display, config, EGL_NO_CONTEXT, attributes) : EGL_NO_CONTEXT;
    if (!context || !eglMakeCurrent(gl->display, surface, surface, context)) {
        gl_check(false, "a window of GBM (0x%x)", (unsigned)eglGetError());
        return;
    }
    glClearColor(1, 0.5f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    gl_check(eglSwapBuffers(gl->display, surface) == EGL_TRUE, "a window of GBM is drawn");
    struct gbm_bo *bo = gbm_surface_lock_front_buffer(window);
    uint32_t stride_B = 0, *pixels = NULL;
    void *mapping = NULL;
    if (bo)
        pixels = gbm_bo_map(bo, 0, 0, 100, 60, GBM_BO_TRANSFER_READ, &stride_B, &mapping);
    gl_check(pixels && (pixels[stride_B / 4 * 59 + 99] & 0xffffff) == 0xff8000, "its front buffer mapped: %08x",
             pixels ? (unsigned)pixels[stride_B / 4 * 59 + 99] : 0);
    if (pixels)
        gbm_bo_unmap(bo, mapping);
    if (bo)
        gbm_surface_release_buffer(window, bo);
    gl_context_use(gl, gl->context);
    eglDestroyContext(gl->display, context);
    eglDestroySurface(gl->display, surface);
    gbm_surface_destroy(window);
}

/* Two contexts of one display are used alternately; each keeps its own state. */
static void check_two_contexts(const struct gl *gl)
{
    EGLContext other = gl_context_create(gl);
    struct gl_target one = gl_target_create(300, 300, GL_TARGET_FLAT);
    glClearColor(1, 0, 0, 1);
    gl_context_use(gl, other);
    struct gl_target two = gl_target_create(300, 300, GL_TARGET_FLAT);
    glClearColor(0, 0, 1, 1);
    for (int i = 0; i < 20; i++) {
        gl_context_use(gl, i & 1 ? other : gl->context);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    gl_check_pixel(299, 299, 0x0000ffff, 0, "the second context's picture");
    gl_target_destroy(&two);
    gl_context_use(gl, gl->context);
    gl_check_pixel(299, 299, 0xff0000ff, 0, "the first context's picture");
    gl_target_destroy(&one);
    eglDestroyContext(gl->display, other);
}

int main(void)
{
    struct gl gl;
    gl_open(&gl);
    if (egl_has(&gl, "EGL_MESA_image_dma_buf_export") && egl_has(&gl, "EGL_EXT_image_dma_buf_import"))
        check_dma_buf(&gl);
    else
        gl_skip("dma-buf", "no such extensions");
    check_fences(&gl);
    check_window(&gl);
    check_two_contexts(&gl);
    int status = gl_done();
    gl_close(&gl);
    return status;
}
