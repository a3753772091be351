/* SPDX-License-Identifier: MIT
 *
 * Render targets through Mesa: rendering to textures, color and depth that a later job loads again, 565, four samples
 * per pixel, depth textures, copies.
 */
#include "gl.h"

static const char *const vs = "attribute vec3 position; attribute vec2 extra; varying vec2 at;\n"
                              "void main() { at = extra; gl_Position = vec4(position, 1.0); }\n";
static const char *const plain_fs = "precision mediump float; uniform vec4 colour;\n"
                                    "void main() { gl_FragColor = colour; }\n";
static const char *const texture_fs = "precision mediump float; uniform sampler2D image; varying vec2 at;\n"
                                      "void main() { gl_FragColor = texture2D(image, at); }\n";
static GLuint plain, textured;
static GLint colour;

static void fill(float x0, float y0, float x1, float y1, float z, float r, float g, float b)
{
    glUseProgram(plain);
    glUniform4f(colour, r, g, b, 1);
    gl_rectangle(x0, y0, x1, y1, z);
}

static void check_chain(void)
{
    struct gl_target first = gl_target_create(50, 30, GL_TARGET_FLAT);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    fill(0, 0, 1, 1, 0, 0, 1, 0);
    struct gl_target second = gl_target_create(200, 120, GL_TARGET_FLAT);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(textured);
    glBindTexture(GL_TEXTURE_2D, first.colour);
    gl_rectangle(-0.5f, -0.5f, 0.5f, 0.5f, 0);
    glFinish();
    gl_target_use(&first);
    glUseProgram(textured);
    glBindTexture(GL_TEXTURE_2D, second.colour);
    gl_rectangle(-1, -1, 0, 0, 0);
    gl_check_pixel(2, 2, 0x0000ffff, 0, "a picture in a picture in a picture: the frame");
    gl_check_pixel(10, 6, 0xff0000ff, 0, "a picture in a picture in a picture: inside");
    gl_check_pixel(16, 10, 0x00ff00ff, 0, "a picture in a picture in a picture: its corner");
    gl_check_pixel(40, 25, 0x00ff00ff, 0, "what was drawn before is loaded again");
    gl_target_destroy(&first);
    gl_target_destroy(&second);
}

static void check_depth_reload(void)
{
    struct gl_target target = gl_target_create(100, 70, GL_TARGET_DEPTH_STENCIL);
    struct gl_target other = gl_target_create(16, 16, GL_TARGET_FLAT);
    gl_target_use(&target);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 3, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    fill(-1, -1, 0, 1, 0, 1, 0, 0);
    gl_target_use(&other); /* ends the job */
    glClear(GL_COLOR_BUFFER_BIT);
    gl_check_pixel(3, 3, 0x000000ff, 0, "another target");
    gl_target_use(&target);
    glStencilFunc(GL_EQUAL, 3, 0xff);
    fill(-1, -1, 1, 0, 0.5f, 0, 1, 0);
    fill(-1, 0, 1, 1, -0.5f, 0, 0, 1);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
    gl_check_pixel(20, 20, 0xff0000ff, 0, "depth that a later job loads");
    gl_check_pixel(20, 50, 0x0000ffff, 0, "depth that a later job loads, nearer");
    gl_check_pixel(80, 50, 0x000000ff, 0, "stencil that a later job loads");
    gl_target_destroy(&target);
    gl_target_destroy(&other);
}

static void check_565(void)
{
    GLuint framebuffer, buffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, 40, 40);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    gl_check(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "a framebuffer of 565");
    glViewport(0, 0, 40, 40);
    glDisable(GL_DITHER);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    fill(-1, -1, 0, 0, 0, 8 / 31.0f, 16 / 63.0f, 24 / 31.0f);
    gl_check_pixel(30, 30, 0xff00ffff, 0, "565, cleared");
    gl_check_pixel(5, 5, 0x4241c6ff, 1, "565, drawn");
    glEnable(GL_DITHER);
    glDeleteRenderbuffers(1, &buffer);
    glDeleteFramebuffers(1, &framebuffer);
}

/* Creates a GBM window with four samples per pixel, current with its own context. EGL_NO_CONTEXT if there is none. */
static EGLContext multisample_window(const struct gl *gl, struct gbm_surface **window, EGLSurface *surface)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_ES2_BIT,
                                    EGL_SURFACE_TYPE,
                                    EGL_WINDOW_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_DEPTH_SIZE,
                                    16,
                                    EGL_SAMPLES,
                                    4,
                                    EGL_NONE};
    static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLConfig config;
    EGLint count = 0, visual = 0;
    if (!eglChooseConfig(gl->display, wanted, &config, 1, &count) || count < 1)
        return EGL_NO_CONTEXT;
    eglGetConfigAttrib(gl->display, config, EGL_NATIVE_VISUAL_ID, &visual);
    *window = gbm_surface_create(gl->gbm, 100, 100, (uint32_t)visual, GBM_BO_USE_RENDERING);
    *surface = *window ? eglCreatePlatformWindowSurface(gl->display, config, *window, NULL) : EGL_NO_SURFACE;
    EGLContext context = eglCreateContext(gl->display, config, EGL_NO_CONTEXT, attributes);
    return *surface && eglMakeCurrent(gl->display, *surface, *surface, context) ? context : EGL_NO_CONTEXT;
}

/* A sloped edge: with one sample per pixel all pixels are white or red, with four there are blends of both. */
static void check_multisample(const struct gl *gl)
{
    static const float corners[] = {-1, -1, 0, 1, -1, 0, -1, 0.37f, 0};
    struct gbm_surface *window;
    EGLSurface surface;
    EGLContext context = multisample_window(gl, &window, &surface);
    gl_check(context != EGL_NO_CONTEXT, "a window of four samples a pixel");
    if (context == EGL_NO_CONTEXT)
        return;
    GLint at = glGetUniformLocation(gl_program(vs, plain_fs), "colour");
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUniform4f(at, 1, 1, 1, 1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    static const float behind[] = {-1, -1, 0.5f, 1, -1, 0.5f, -1, 3, 0.5f};
    glUniform4f(at, 1, 0, 0, 1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, behind);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    gl_check_count(0xff4040ff, 0, 0, 100, 100, 5, 60, "four samples, one of the nearer triangle");
    gl_check_count(0xff8080ff, 0, 0, 100, 100, 5, 60, "four samples, two of the nearer triangle");
    gl_check_count(0xffbfbfff, 0, 0, 100, 100, 5, 60, "four samples, three of the nearer triangle");
    gl_check_count(0xffffffff, 0, 0, 100, 100, 3300, 3500, "four samples, all of the nearer triangle");
    gl_check_pixel(99, 99, 0x000000ff, 0, "four samples, none of either");
    gl_context_use(gl, gl->context);
    eglDestroyContext(gl->display, context);
    eglDestroySurface(gl->display, surface);
    gbm_surface_destroy(window);
}

static void check_depth_texture(void)
{
    if (!gl_has("GL_OES_depth_texture")) {
        gl_skip("depth texture", "no such extension");
        return;
    }
    struct gl_target target = gl_target_create(64, 64, GL_TARGET_FLAT);
    GLuint depth = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, 64, 64, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glClearDepthf(0.25f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glClearDepthf(1);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    fill(-1, -1, 0, 1, 0.5f, 1, 1, 1);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    struct gl_target shown = gl_target_create(64, 64, GL_TARGET_FLAT);
    glUseProgram(textured);
    glBindTexture(GL_TEXTURE_2D, depth);
    gl_rectangle(-1, -1, 1, 1, 0);
    gl_check_pixel(10, 30, 0xbfbfbfff, 1, "a depth that was drawn, sampled");
    gl_check_pixel(50, 30, 0x404040ff, 1, "a depth that was cleared, sampled");
    gl_target_destroy(&target);
    gl_target_destroy(&shown);
    glDeleteTextures(1, &depth);
}

static void check_copies(void)
{
    struct gl_target target = gl_target_create(64, 64, GL_TARGET_FLAT);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    fill(-1, -1, 0, 0, 0, 1, 0, 0);
    GLuint copy = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 32, 32, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(textured);
    gl_rectangle(-1, -1, 1, 1, 0);
    gl_check_count(0xff0000ff, 0, 0, 64, 64, 32 * 32, 32 * 32, "a part of the picture copied to a texture");
    gl_check_pixel(31, 31, 0xff0000ff, 0, "the copy, inside");
    gl_check_pixel(32, 31, 0x000000ff, 0, "the copy, outside");
    gl_target_destroy(&target);
    glDeleteTextures(1, &copy);
}

int main(void)
{
    struct gl gl;
    gl_open(&gl);
    plain = gl_program(vs, plain_fs);
    colour = glGetUniformLocation(plain, "colour");
    textured = gl_program(vs, texture_fs);
    check_chain();
    check_depth_reload();
    check_565();
    check_multisample(&gl);
    check_depth_texture();
    check_copies();
    int status = gl_done();
    gl_close(&gl);
    return status;
}
