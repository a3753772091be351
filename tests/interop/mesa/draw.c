/* SPDX-License-Identifier: MIT
 *
 * Drawing through Mesa: depth, blending, stencil, discard, scissor, culling, points, lines, and more vertices than the
 * binner's initial memory holds.
 */
#include "gl.h"

#include <stdlib.h>

static const char *const plain_vs = "attribute vec3 position;\n"
                                    "void main() { gl_Position = vec4(position, 1.0); }\n";
static const char *const plain_fs = "precision mediump float;\n"
                                    "uniform vec4 colour;\n"
                                    "void main() { gl_FragColor = colour; }\n";
static GLint colour;

static void use_plain(void)
{
    colour = glGetUniformLocation(gl_program(plain_vs, plain_fs), "colour");
}

static void clear(float r, float g, float b)
{
    glClearColor(r, g, b, 1);
    glClearDepthf(1);
    glClearStencil(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void check_triangle(void)
{
    static const float corners[] = {-1, -1, 0, 1, -1, 0, -1, 1, 0};
    gl_program("attribute vec3 position; varying vec2 at;\n"
               "void main() { at = position.xy * 0.5 + 0.5; gl_Position = vec4(position, 1.0); }\n",
               "precision mediump float; varying vec2 at;\n"
               "void main() { gl_FragColor = vec4(at, 0.0, 1.0); }\n");
    clear(0, 0, 1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    gl_check_pixel(10, 20, 0x152900ff, 2, "triangle, x and y as colour");
    gl_check_pixel(63, 63, 0x7e7e00ff, 2, "triangle, beside the slanted edge");
    gl_check_pixel(100, 100, 0x0000ffff, 0, "triangle, outside");
}

static void check_depth(void)
{
    static const struct {
        GLenum function;
        uint32_t nearer, equal, farther;
        const char *name;
    } rows[] = {
        {GL_LESS, 0x00ff00ff, 0xff0000ff, 0xff0000ff, "depth less"},
        {GL_LEQUAL, 0x00ff00ff, 0x00ff00ff, 0xff0000ff, "depth less or equal"},
        {GL_EQUAL, 0xff0000ff, 0x00ff00ff, 0xff0000ff, "depth equal"},
        {GL_GREATER, 0xff0000ff, 0xff0000ff, 0x00ff00ff, "depth greater"},
        {GL_NOTEQUAL, 0x00ff00ff, 0xff0000ff, 0x00ff00ff, "depth not equal"},
        {GL_NEVER, 0xff0000ff, 0xff0000ff, 0xff0000ff, "depth never"},
    };
    use_plain();
    glEnable(GL_DEPTH_TEST);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        clear(0, 0, 0);
        glDepthFunc(GL_ALWAYS);
        glUniform4f(colour, 1, 0, 0, 1);
        gl_rectangle(-1, -1, 1, 1, 0.25f);
        glDepthFunc(rows[i].function);
        glUniform4f(colour, 0, 1, 0, 1);
        gl_rectangle(-1, -1, -0.5f, 1, 0.0f);
        gl_rectangle(-0.5f, -1, 0.5f, 1, 0.25f);
        gl_rectangle(0.5f, -1, 1, 1, 0.5f);
        gl_check_pixel(10, 64, rows[i].nearer, 0, rows[i].name);
        gl_check_pixel(64, 64, rows[i].equal, 0, rows[i].name);
        gl_check_pixel(120, 64, rows[i].farther, 0, rows[i].name);
    }
    glDisable(GL_DEPTH_TEST);
}

static void check_blend(void)
{
    use_plain();
    glEnable(GL_BLEND);
    clear(0, 0, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUniform4f(colour, 1, 0, 0, 0.25f);
    gl_rectangle(-1, -1, 0, 1, 0);
    glBlendFunc(GL_ONE, GL_ONE);
    glBlendEquation(GL_FUNC_REVERSE_SUBTRACT);
    glUniform4f(colour, 0, 0, 0.5f, 0);
    gl_rectangle(0, -1, 1, 1, 0);
    gl_check_pixel(32, 32, 0x4000bfcf, 2, "blend over");
    gl_check_pixel(96, 32, 0x00007fff, 2, "blend, reverse subtract");
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_BLEND);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glUniform4f(colour, 1, 1, 1, 1);
    gl_rectangle(0, 0, 1, 1, 0);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl_check_pixel(96, 96, 0x00ff7fff, 2, "colour mask");
}

static void check_stencil(void)
{
    use_plain();
    clear(0, 0, 0);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 0x35, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glUniform4f(colour, 0, 0, 1, 1);
    gl_rectangle(-0.5f, -0.5f, 0.5f, 0.5f, 0);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    gl_rectangle(0, -0.5f, 0.5f, 0.5f, 0);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glStencilFunc(GL_EQUAL, 0x35, 0xff);
    glUniform4f(colour, 1, 0, 0, 1);
    gl_rectangle(-1, -1, 1, 1, 0);
    glStencilFunc(GL_EQUAL, 0x06, 0x0f);
    glUniform4f(colour, 0, 1, 0, 1);
    gl_rectangle(-1, -1, 1, 1, 0);
    gl_check_pixel(48, 64, 0xff0000ff, 0, "stencil replaced");
    gl_check_pixel(80, 64, 0x00ff00ff, 0, "stencil incremented and masked");
    gl_check_pixel(10, 10, 0x000000ff, 0, "stencil untouched");
    glDisable(GL_STENCIL_TEST);
}

static void check_discard(void)
{
    gl_program("attribute vec3 position; attribute vec2 extra; varying vec2 at;\n"
               "void main() { at = extra; gl_Position = vec4(position, 1.0); }\n",
               "precision mediump float; varying vec2 at;\n"
               "void main() { if (distance(at, vec2(0.5)) > 0.4) discard; gl_FragColor = vec4(1.0); }\n");
    clear(0, 0, 0);
    gl_rectangle(-1, -1, 1, 1, 0);
    /* pi (0.4 * 128)^2 = 8235 */
    gl_check_count(0xffffffff, 0, 0, 128, 128, 8150, 8320, "discard outside of a disc");
}

static void check_scissor_and_cull(void)
{
    use_plain();
    clear(0, 0, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(7, 9, 50, 21);
    glUniform4f(colour, 1, 1, 1, 1);
    gl_rectangle(-1, -1, 1, 1, 0);
    glDisable(GL_SCISSOR_TEST);
    gl_check_count(0xffffffff, 0, 0, 128, 128, 50 * 21, 50 * 21, "scissor");
    gl_check_pixel(7, 9, 0xffffffff, 0, "scissor, first pixel");
    gl_check_pixel(56, 29, 0xffffffff, 0, "scissor, last pixel");
    clear(0, 0, 0);
    glEnable(GL_CULL_FACE);
    gl_rectangle(-1, -1, 0, 1, 0);
    gl_rectangle(1, -1, 0, 1, 0);
    glDisable(GL_CULL_FACE);
    gl_check_pixel(32, 64, 0xffffffff, 0, "front faces are drawn");
    gl_check_pixel(96, 64, 0x000000ff, 0, "back faces are culled");
}

static void check_points_and_lines(void)
{
    static const float at[] = {-0.5f, 0, 0, 0.5f, 0, 0};
    static const float wide[] = {-0.75f, -0.75f, 0, 0.75f, -0.75f, 0, 0.75f, 0.75f, 0, -0.75f, 0.75f, 0};
    gl_program("attribute vec3 position;\n"
               "void main() { gl_Position = vec4(position, 1.0); gl_PointSize = 16.0; }\n",
               "precision mediump float;\n"
               "void main() { gl_FragColor = vec4(gl_PointCoord, 1.0, 1.0); }\n");
    clear(0, 0, 0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, at);
    glDrawArrays(GL_POINTS, 0, 2);
    gl_check_count(0x000000ff, 0, 0, 128, 128, 128 * 128 - 512, 128 * 128 - 512, "two points of 16 pixels square");
    gl_check_pixel(32 - 8, 64 + 7, 0x0808ffff, 3, "the coordinate begins at the top left of a point");
    use_plain();
    glUniform4f(colour, 1, 1, 1, 1);
    clear(0, 0, 0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, wide);
    glDrawArrays(GL_LINE_LOOP, 0, 4);
    gl_check_count(0xffffffff, 0, 0, 128, 128, 4 * 96 - 4, 4 * 96 + 4, "line loop");
    clear(0, 0, 0);
    glLineWidth(5);
    glDrawArrays(GL_LINES, 0, 2);
    glLineWidth(1);
    gl_check_count(0xffffffff, 0, 0, 128, 128, 5 * 96 - 5, 5 * 96 + 5, "a line of width 5");
}

/* Draws a grid of small triangles, 65,000 vertices and 120,000 triangles: more tile lists than fit in the binner's
 * initial memory. */
static void check_many(void)
{
    enum { SIDE = 250 };
    struct gl_target big = gl_target_create(500, 500, GL_TARGET_DEPTH_STENCIL);
    float *position = malloc(SIDE * SIDE * 3 * sizeof(float));
    uint16_t *index = malloc((SIDE - 1) * (SIDE - 1) * 6 * sizeof(uint16_t));
    if (!position || !index)
        exit(99);
    for (int i = 0; i < SIDE * SIDE; i++) {
        position[3 * i] = (float)(i % SIDE) / (SIDE - 1) * 2 - 1;
        position[3 * i + 1] = (float)(i / SIDE) / (SIDE - 1) * 2 - 1;
        position[3 * i + 2] = 0;
    }
    int n = 0;
    for (int y = 0; y < SIDE - 1; y++) {
        for (int x = 0; x < SIDE - 1; x++) {
            const int first = y * SIDE + x, corner[6] = {0, 1, SIDE, SIDE, 1, SIDE + 1};
            for (int k = 0; k < 6; k++)
                index[n++] = (uint16_t)(first + corner[k]);
        }
    }
    use_plain();
    clear(0, 0, 0);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUniform4f(colour, 0.2f, 0.2f, 0.2f, 0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, position);
    glDisableVertexAttribArray(1);
    for (int i = 0; i < 4; i++)
        glDrawElements(GL_TRIANGLES, n, GL_UNSIGNED_SHORT, index);
    glDisable(GL_BLEND);
    gl_check_count(0xccccccff, 0, 0, 500, 500, 500 * 500, 500 * 500, "four grids, each pixel once by each");
    free(position);
    free(index);
    gl_target_destroy(&big);
}

int main(void)
{
    struct gl gl;
    gl_open(&gl);
    struct gl_target target = gl_target_create(128, 128, GL_TARGET_DEPTH_STENCIL);
    check_triangle();
    check_depth();
    check_blend();
    check_stencil();
    check_discard();
    check_scissor_and_cull();
    check_points_and_lines();
    check_many();
    gl_target_destroy(&target);
    int status = gl_done();
    gl_close(&gl);
    return status;
}
