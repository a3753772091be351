/* SPDX-License-Identifier: MIT
 *
 * Writes a PNG without a library, because every program under the shim would load that library. Rows are stored, not
 * compressed [PNG specification, RFC 1950, RFC 1951].
 */
#include <stdlib.h>
#include <string.h>
#include "shim/shim_kms.h"

#define MAX_STORED_B 65535u /* per block */
#define ADLER_BASE   65521u

struct writer {
    FILE *out;
    uint32_t crc, adler_a, adler_b;
};

static void put(struct writer *w, const void *data, size_t size_B)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size_B; i++) {
        w->crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            w->crc = w->crc >> 1 ^ (w->crc & 1 ? 0xedb88320u : 0);
    }
    fwrite(data, 1, size_B, w->out);
}

static void put_u32(struct writer *w, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    put(w, bytes, sizeof bytes);
}

static void begin_chunk(struct writer *w, const char *name, uint32_t size_B)
{
    put_u32(w, size_B);
    w->crc = UINT32_MAX;
    put(w, name, 4);
}

static void end_chunk(struct writer *w)
{
    put_u32(w, ~w->crc);
}

/* Writes a row as one stored block: the filter byte, then red, green and blue of each pixel. */
static void put_row(struct writer *w, uint8_t *row, const uint32_t *pixels, uint32_t width_px, bool is_last)
{
    const uint32_t size_B = 1 + 3 * width_px;
    row[0] = 0;
    for (uint32_t x = 0; x < width_px; x++) {
        row[1 + 3 * x] = (uint8_t)(pixels[x] >> 16);
        row[2 + 3 * x] = (uint8_t)(pixels[x] >> 8);
        row[3 + 3 * x] = (uint8_t)pixels[x];
    }
    for (uint32_t i = 0; i < size_B; i++) {
        w->adler_a = (w->adler_a + row[i]) % ADLER_BASE;
        w->adler_b = (w->adler_b + w->adler_a) % ADLER_BASE;
    }
    const uint8_t head[5] = {is_last, (uint8_t)size_B, (uint8_t)(size_B >> 8), (uint8_t)~size_B,
                             (uint8_t)(~size_B >> 8)};
    put(w, head, sizeof head);
    put(w, row, size_B);
}

bool shim_kms_write_png(const char *path, const uint32_t *pixels, uint32_t width_px, uint32_t height_px)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t kind[5] = {8, 2 /* RGB */, 0, 0, 0}, zlib_head[2] = {0x78, 0x01};
    const uint32_t row_B = 1 + 3 * width_px;
    uint8_t *row = row_B <= MAX_STORED_B ? malloc(row_B) : NULL;
    struct writer w = {.adler_a = 1};
    w.out = row ? SHIM_REAL(fopen64)(path, "we") : NULL;
    if (!w.out) {
        free(row);
        return false;
    }
    put(&w, signature, sizeof signature);
    begin_chunk(&w, "IHDR", 8 + sizeof kind);
    put_u32(&w, width_px);
    put_u32(&w, height_px);
    put(&w, kind, sizeof kind);
    end_chunk(&w);
    begin_chunk(&w, "IDAT", (uint32_t)sizeof zlib_head + height_px * (5 + row_B) + 4);
    put(&w, zlib_head, sizeof zlib_head);
    for (uint32_t y = 0; y < height_px; y++)
        put_row(&w, row, pixels + (size_t)y * width_px, width_px, y + 1 == height_px);
    put_u32(&w, w.adler_b << 16 | w.adler_a);
    end_chunk(&w);
    begin_chunk(&w, "IEND", 0);
    end_chunk(&w);
    free(row);
    bool ok = !ferror(w.out);
    return fclose(w.out) == 0 && ok;
}
