/* SPDX-License-Identifier: MIT
 *
 * Shared helpers of the programs in this folder: an OpenGL ES 2 context on the vc4 render node, targets, programs, and
 * pixel checks that print TAP. Nothing here depends on the model: the programs also run on a board.
 */
#ifndef MESA_GL_H
#define MESA_GL_H

#include <stdbool.h>
#include <stdint.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <gbm.h>

struct gl {
    int fd;
    struct gbm_device *gbm;
    EGLDisplay display;
    EGLConfig config;
    EGLContext context;
};

/* A framebuffer object with a color texture. */
struct gl_target {
    GLuint framebuffer, colour, depth_stencil;
    int width_px, height_px;
};

enum gl_depth { GL_TARGET_FLAT, GL_TARGET_DEPTH_STENCIL };

/* These end the program with a "Bail out!" line if they cannot. */
void gl_open(struct gl *gl);
void gl_close(struct gl *gl);
EGLContext gl_context_create(const struct gl *gl);
void gl_context_use(const struct gl *gl, EGLContext context);
GLuint gl_program(const char *vertex, const char *fragment); /* attribute 0 is "position", 1 is "extra" */
struct gl_target gl_target_create(int width_px, int height_px, enum gl_depth depth);
void gl_target_destroy(struct gl_target *target);
void gl_target_use(const struct gl_target *target);
void *gl_function(const char *name);
bool gl_has(const char *extension); /* an OpenGL ES extension */
bool egl_has(const struct gl *gl, const char *extension);

GLuint gl_texture(GLenum target, GLenum filter, GLenum wrap); /* creates and binds a texture and sets its parameters */

/* A rectangle from (x0, y0) to (x1, y1) at depth z, in clip coordinates; attribute 1 goes from (0, 0) to (1, 1). */
void gl_rectangle(float x0, float y0, float x1, float y1, float z);

/* Each check prints a line of TAP and is counted. Colors are 0xRRGGBBAA. */
void gl_check(bool ok, const char *name, ...) __attribute__((format(printf, 2, 3)));
void gl_check_pixel(int x_px, int y_px, uint32_t rgba, int tolerance, const char *name);
void gl_check_count(uint32_t rgba, int x_px, int y_px, int width_px, int height_px, int low, int high,
                    const char *name);
void gl_skip(const char *name, const char *reason);
int gl_done(void); /* prints the plan; returns the program's exit status */

#endif
