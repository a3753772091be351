/* SPDX-License-Identifier: MIT
 *
 * Textures through Mesa: formats, filters, mip-maps, wrapping, cube maps, sizes that are not powers of two.
 */
#include "gl.h"

#include <string.h>

enum { SIDE = 64 };

static const char *const vs = "attribute vec3 position; attribute vec2 extra; varying vec2 at;\n"
                              "void main() { at = extra; gl_Position = vec4(position, 1.0); }\n";
static const char *const fs = "precision highp float; varying vec2 at; uniform sampler2D image; uniform vec4 place;\n"
                              "void main() { gl_FragColor = texture2D(image, at * place.xy + place.zw); }\n";
static GLint place;

/* Draws the bound texture over the target, with texture coordinates from (s, t) to (s + width, t + height). */
static void draw(float s, float t, float width, float height)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glUniform4f(place, width, height, s, t);
    gl_rectangle(-1, -1, 1, 1, 0);
}

static void check_formats(void)
{
    /* two texels as uploaded, and the values that a shader reads */
    static const struct {
        GLenum internal, format, type;
        uint8_t texels[8];
        uint32_t left, right;
        const char *name, *extension;
    } rows[] = {
        {GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, {1, 2, 3, 4, 250, 128, 64, 255}, 0x01020304, 0xfa8040ff, "RGBA8", NULL},
        {GL_RGB, GL_RGB, GL_UNSIGNED_BYTE, {1, 2, 3, 250, 128, 64}, 0x010203ff, 0xfa8040ff, "RGB8", NULL},
        {GL_BGRA_EXT,
         GL_BGRA_EXT,
         GL_UNSIGNED_BYTE,
         {1, 2, 3, 4, 250, 128, 64, 255},
         0x03020104,
         0x4080faff,
         "BGRA8",
         "GL_EXT_texture_format_BGRA8888"},
        {GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_BYTE, {17, 200}, 0x111111ff, 0xc8c8c8ff, "L8", NULL},
        {GL_ALPHA, GL_ALPHA, GL_UNSIGNED_BYTE, {17, 200}, 0x00000011, 0x000000c8, "A8", NULL},
        {GL_LUMINANCE_ALPHA,
         GL_LUMINANCE_ALPHA,
         GL_UNSIGNED_BYTE,
         {17, 33, 200, 99},
         0x11111121,
         0xc8c8c863,
         "LA8",
         NULL},
        {GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, {0x1f, 0xf8, 0xe0, 0x07}, 0xff00ffff, 0x00ff00ff, "RGB565", NULL},
        {GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, {0x34, 0x12, 0xba, 0xfe}, 0x11223344, 0xffeebbaa, "RGBA4", NULL},
        {GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, {0x01, 0xf8, 0xc0, 0x07}, 0xff0000ff, 0x00ff0000, "RGB5A1", NULL},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].extension && !gl_has(rows[i].extension)) {
            gl_skip(rows[i].name, "no such extension");
            continue;
        }
        GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)rows[i].internal, 2, 1, 0, rows[i].format, rows[i].type, rows[i].texels);
        draw(0, 0, 1, 1);
        gl_check_pixel(10, 10, rows[i].left, 1, rows[i].name);
        gl_check_pixel(50, 10, rows[i].right, 1, rows[i].name);
        glDeleteTextures(1, &texture);
    }
}

static void check_etc1(void)
{
    if (!gl_has("GL_OES_compressed_ETC1_RGB8_texture")) {
        gl_skip("ETC1", "no such extension");
        return;
    }
    /* Differential mode: base 5-bit colour (16, 8, 31), the second half 2 redder; table 0, all pixels +2. */
    static const uint8_t block[8] = {16 << 3 | 2, 8 << 3, 31 << 3, 2, 0, 0, 0, 0};
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 4, 4, 0, sizeof(block), block);
    draw(0, 0, 1, 1);
    gl_check_pixel(10, 10, 0x8644ffff, 1, "ETC1, left half");
    gl_check_pixel(50, 10, 0x9644ffff, 1, "ETC1, right half");
    glDeleteTextures(1, &texture);
}

/* Texel (x, y) is (16 x, 16 y, 0). */
static void fill_ramp(int width, int height)
{
    uint8_t texels[64 * 64 * 4];
    for (int i = 0; i < width * height; i++) {
        const uint8_t texel[4] = {(uint8_t)(i % width * 16), (uint8_t)(i / width * 16), 0, 255};
        memcpy(texels + 4 * i, texel, 4);
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void check_filters(void)
{
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_LINEAR, GL_CLAMP_TO_EDGE);
    fill_ramp(16, 16);
    draw(0, 0, 1, 1);
    /* 4 pixels per texel; pixel 33 is at texel 8.375, 0.875 of a texel past center 7.5 */
    gl_check_pixel(33, 33, 0x7e7e00ff, 3, "linear, between two texels");
    gl_check_pixel(0, 0, 0x000000ff, 1, "linear, clamped to the edge");
    gl_check_pixel(63, 63, 0xf0f000ff, 1, "linear, clamped to the other edge");
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    draw(0, 0, 1, 1);
    gl_check_pixel(33, 30, 0x807000ff, 0, "nearest");
    glDeleteTextures(1, &texture);
}

static void check_wraps(void)
{
    static const struct {
        GLenum wrap;
        uint32_t before, after;
        const char *name;
    } rows[] = {
        {GL_REPEAT, 0xc00000ff, 0x300000ff, "repeat"},
        {GL_CLAMP_TO_EDGE, 0x000000ff, 0xf00000ff, "clamp"},
        {GL_MIRRORED_REPEAT, 0x300000ff, 0xc00000ff, "mirror"},
    };
    for (unsigned i = 0; i < 3; i++) {
        GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, rows[i].wrap);
        fill_ramp(16, 1);
        draw(-1, 0, 4, 1); /* a texel a pixel */
        gl_check_pixel(12, 5, rows[i].before, 0, rows[i].name);
        gl_check_pixel(20, 5, 0x400000ff, 0, rows[i].name);
        gl_check_pixel(35, 5, rows[i].after, 0, rows[i].name);
        glDeleteTextures(1, &texture);
    }
}

/* Each level has its own color. */
static void check_mipmaps(void)
{
    static const uint32_t colours[7] = {0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff,
                                        0x00ffffff, 0xff00ffff, 0xffffffff};
    uint8_t texels[64 * 64 * 4];
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST, GL_REPEAT);
    for (int level = 0; level < 7; level++) {
        const int side = 64 >> level;
        for (int i = 0; i < side * side * 4; i++)
            texels[i] = (uint8_t)(colours[level] >> (24 - 8 * (i & 3)));
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    for (int level = 0; level < 7; level++) {
        draw(0, 0, (float)(1 << level), (float)(1 << level));
        gl_check_pixel(20, 40, colours[level], 0, "mip-map, the level that fits");
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    draw(0, 0, 2.828427f, 2.828427f);
    gl_check_pixel(20, 40, 0x008080ff, 24, "mip-map, half way between two levels");
    glGenerateMipmap(GL_TEXTURE_2D);
    draw(0, 0, 16, 16);
    gl_check_pixel(20, 40, 0xff0000ff, 0, "mip-map, made by Mesa on the chip");
    glDeleteTextures(1, &texture);
}

static void check_npot(void)
{
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    fill_ramp(13, 11);
    draw(0, 0, 64.0f / 13, 64.0f / 11); /* a texel a pixel */
    gl_check_pixel(12, 10, 0xc0a000ff, 0, "13 x 11, last texel");
    gl_check_pixel(5, 3, 0x503000ff, 0, "13 x 11, a texel inside");
    gl_check_pixel(40, 3, 0xc03000ff, 0, "13 x 11, clamped");
    glDeleteTextures(1, &texture);
}

static void check_cube(void)
{
    static const uint32_t colours[6] = {0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff, 0x00ffffff, 0xff00ffff};
    static const float directions[6][3] = {{1, .2f, .3f},  {-1, .2f, .3f}, {.1f, 1, .3f},
                                           {.1f, -1, .3f}, {.1f, .2f, 1},  {.1f, .2f, -1}};
    uint8_t texels[8 * 8 * 4];
    GLuint texture = gl_texture(GL_TEXTURE_CUBE_MAP, GL_NEAREST, GL_CLAMP_TO_EDGE);
    for (unsigned face = 0; face < 6; face++) {
        for (int i = 0; i < 8 * 8 * 4; i++)
            texels[i] = (uint8_t)(colours[face] >> (24 - 8 * (i & 3)));
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    GLuint program =
        gl_program(vs, "precision highp float; uniform samplerCube image; uniform vec3 way; varying vec2 at;\n"
                       "void main() { gl_FragColor = textureCube(image, way + vec3(at * 0.1, 0.0)); }\n");
    for (unsigned face = 0; face < 6; face++) {
        glUniform3fv(glGetUniformLocation(program, "way"), 1, directions[face]);
        gl_rectangle(-1, -1, 1, 1, 0);
        gl_check_pixel(31, 31, colours[face], 0, "cube map");
    }
    glDeleteTextures(1, &texture);
}

static void check_sub_image(void)
{
    static const uint8_t white[5 * 3 * 4] = {[0 ... 59] = 255};
    GLuint texture = gl_texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    fill_ramp(64, 64);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 33, 17, 5, 3, GL_RGBA, GL_UNSIGNED_BYTE, white);
    draw(0, 0, 1, 1);
    gl_check_count(0xffffffff, 33, 17, 5, 3, 15, 15, "a part of a texture replaced");
    gl_check_count(0xffffffff, 0, 0, SIDE, SIDE, 15, 15, "and nothing else");
    glDeleteTextures(1, &texture);
}

int main(void)
{
    struct gl gl;
    gl_open(&gl);
    struct gl_target target = gl_target_create(SIDE, SIDE, GL_TARGET_FLAT);
    place = glGetUniformLocation(gl_program(vs, fs), "place");
    check_formats();
    check_etc1();
    check_filters();
    check_wraps();
    check_mipmaps();
    check_npot();
    check_sub_image();
    check_cube();
    gl_target_destroy(&target);
    int status = gl_done();
    gl_close(&gl);
    return status;
}
