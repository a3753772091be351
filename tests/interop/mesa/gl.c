/* SPDX-License-Identifier: MIT
 *
 * The shared helpers of the programs in this folder; see gl.h.
 */
#include "gl.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int checks, failures;

static void bail_out(const char *what, unsigned code)
{
    printf("Bail out! %s (0x%x)\n", what, code);
    exit(99);
}

/* --- contexts --- */

EGLContext gl_context_create(const struct gl *gl)
{
    static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLContext context = eglCreateContext(gl->display, gl->config, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT)
        bail_out("eglCreateContext", (unsigned)eglGetError());
    return context;
}

void gl_context_use(const struct gl *gl, EGLContext context)
{
    if (!eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        bail_out("eglMakeCurrent", (unsigned)eglGetError());
}

void gl_open(struct gl *gl)
{
    static const EGLint wanted[] = {
        EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, 0, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
    gl->fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (gl->fd < 0)
        bail_out("/dev/dri/renderD128 does not open", 0);
    gl->gbm = gbm_create_device(gl->fd);
    if (!gl->gbm)
        bail_out("gbm_create_device", 0);
    gl->display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gl->gbm, NULL);
    EGLint count = 0;
    if (!eglInitialize(gl->display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
        !eglChooseConfig(gl->display, wanted, &gl->config, 1, &count) || count < 1)
        bail_out("no EGL config", (unsigned)eglGetError());
    gl->context = gl_context_create(gl);
    gl_context_use(gl, gl->context);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    printf("# %s, %s\n", renderer, (const char *)glGetString(GL_VERSION));
    gl_check(strstr(renderer, "VC4") != NULL, "the renderer is vc4");
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
}

void gl_close(struct gl *gl)
{
    eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(gl->display, gl->context);
    eglTerminate(gl->display);
    gbm_device_destroy(gl->gbm);
    close(gl->fd);
}

static bool word_in(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

bool gl_has(const char *extension)
{
    return word_in((const char *)glGetString(GL_EXTENSIONS), extension);
}

bool egl_has(const struct gl *gl, const char *extension)
{
    return word_in(eglQueryString(gl->display, EGL_EXTENSIONS), extension);
}

void *gl_function(const char *name)
{
    union {
        void (*function)(void);
        void *pointer;
    } both = {.function = eglGetProcAddress(name)};
    if (!both.pointer)
        bail_out(name, 0);
    return both.pointer;
}

/* --- programs, targets, textures --- */

static GLuint compile(GLenum stage, const char *source)
{
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    GLint ok;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1024];
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        fputs(log, stderr);
        bail_out("a shader does not compile", 0);
    }
    return shader;
}

GLuint gl_program(const char *vertex, const char *fragment)
{
    GLuint program = glCreateProgram(),
           stages[2] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
    for (int i = 0; i < 2; i++) {
        glAttachShader(program, stages[i]);
        glDeleteShader(stages[i]);
    }
    glBindAttribLocation(program, 0, "position");
    glBindAttribLocation(program, 1, "extra");
    glLinkProgram(program);
    GLint ok;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok)
        bail_out("a program does not link", 0);
    glUseProgram(program);
    return program;
}

GLuint gl_texture(GLenum target, GLenum filter, GLenum wrap)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER,
                    filter == GL_NEAREST || filter == GL_NEAREST_MIPMAP_NEAREST ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, (GLint)wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, (GLint)wrap);
    return texture;
}

struct gl_target gl_target_create(int width_px, int height_px, enum gl_depth depth)
{
    struct gl_target target = {.width_px = width_px, .height_px = height_px};
    target.colour = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width_px, height_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &target.framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.colour, 0);
    if (depth == GL_TARGET_DEPTH_STENCIL) {
        glGenRenderbuffers(1, &target.depth_stencil);
        glBindRenderbuffer(GL_RENDERBUFFER, target.depth_stencil);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, width_px, height_px);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target.depth_stencil);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, target.depth_stencil);
    }
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        bail_out("the framebuffer is not complete", status);
    glViewport(0, 0, width_px, height_px);
    return target;
}

void gl_target_use(const struct gl_target *target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glViewport(0, 0, target->width_px, target->height_px);
}

void gl_target_destroy(struct gl_target *target)
{
    glDeleteFramebuffers(1, &target->framebuffer);
    glDeleteTextures(1, &target->colour);
    glDeleteRenderbuffers(1, &target->depth_stencil);
}

void gl_rectangle(float x0, float y0, float x1, float y1, float z)
{
    const float position[] = {x0, y0, z, x1, y0, z, x0, y1, z, x1, y1, z};
    static const float extra[] = {0, 0, 1, 0, 0, 1, 1, 1};
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, position);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 0, extra);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* --- checks --- */

void gl_check(bool ok, const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    printf("%sok %d - ", ok ? "" : "not ", ++checks);
    vprintf(name, arguments);
    putchar('\n');
    va_end(arguments);
    failures += !ok;
}

void gl_skip(const char *name, const char *reason)
{
    printf("ok %d - %s # SKIP %s\n", ++checks, name, reason);
}

static bool close_to(const uint8_t *got, uint32_t rgba, int tolerance)
{
    for (int i = 0; i < 4; i++) {
        if (abs(got[i] - (int)(rgba >> (24 - 8 * i) & 0xff)) > tolerance)
            return false;
    }
    return true;
}

void gl_check_pixel(int x_px, int y_px, uint32_t rgba, int tolerance, const char *name)
{
    uint8_t got[4];
    glReadPixels(x_px, y_px, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    gl_check(close_to(got, rgba, tolerance), "%s: (%d, %d) is %02x%02x%02x%02x, wanted %08x", name, x_px, y_px, got[0],
             got[1], got[2], got[3], (unsigned)rgba);
}

void gl_check_count(uint32_t rgba, int x_px, int y_px, int width_px, int height_px, int low, int high, const char *name)
{
    uint8_t *pixels = malloc((size_t)width_px * (size_t)height_px * 4);
    if (!pixels)
        bail_out("out of memory", 0);
    glReadPixels(x_px, y_px, width_px, height_px, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    int count = 0;
    for (int i = 0; i < width_px * height_px; i++)
        count += close_to(pixels + 4 * i, rgba, 2);
    free(pixels);
    gl_check(count >= low && count <= high, "%s: %d pixels are %08x, wanted %d to %d", name, count, (unsigned)rgba, low,
             high);
}

int gl_done(void)
{
    GLenum error = glGetError();
    gl_check(error == GL_NO_ERROR, "no error is left (0x%x)", error);
    printf("1..%d\n", checks);
    return failures ? 1 : 0;
}
