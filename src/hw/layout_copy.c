/* SPDX-License-Identifier: MIT
 *
 * Copies between tiled and raster memory.
 *
 * Hot: uploads do little else. The copy proceeds by rows of microtiles, so raster memory is accessed in a few streams,
 * and within a row by runs of four microtiles: 256 consecutive bytes of tiled memory and whole cache lines of raster
 * memory. A run is a transposition of 4 x 4 pieces of 16 bytes, which AVX-512 does in 16 instructions.
 * [measured: 4 MiB of 4-byte texels to T and back in 95 us with AVX-512, in 122 and 158 us without; memcpy takes 77 us]
 */
#include <string.h>
#include "hw/layout_utile.h"

enum direction { FROM_TILED, TO_TILED };

#define RUN_UT 4u /* microtiles in a run: half a group of struct hw_utile_row */

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* ---------------------------------------------------------------- one run */

typedef void (*run_fn)(uint8_t *tiled, uint8_t *raster, size_t stride_B);

/* Microtiles with rows of 16 bytes: all element sizes but one byte. All loads precede the stores, which may hit the
 * same cache set. */
ALWAYS_INLINE void run_16_from(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    struct piece {
        uint64_t words[2];
    } pieces[16];
    memcpy(pieces, tiled, sizeof pieces);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t i = 0; i < RUN_UT; i++)
            memcpy(raster + y * stride_B + (size_t)i * 16, &pieces[4 * i + y], 16);
}

ALWAYS_INLINE void run_16_to(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t i = 0; i < RUN_UT; i++)
            memcpy(tiled + (size_t)i * HW_UTILE_B + (size_t)y * 16, raster + y * stride_B + (size_t)i * 16, 16);
}

/* Microtiles of one-byte elements: 8 rows of 8 bytes. */
ALWAYS_INLINE void run_8_from(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    uint64_t pieces[32];
    memcpy(pieces, tiled, sizeof pieces);
    for (uint32_t y = 0; y < 8; y++) {
        const uint64_t row[RUN_UT] = {pieces[y], pieces[8 + y], pieces[16 + y], pieces[24 + y]};
        memcpy(raster + y * stride_B, row, sizeof row);
    }
}

ALWAYS_INLINE void run_8_to(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t i = 0; i < RUN_UT; i++)
            memcpy(tiled + (size_t)i * HW_UTILE_B + (size_t)y * 8, raster + y * stride_B + (size_t)i * 8, 8);
}

/* A test defines HW_LAYOUT_COPY_PLAIN to run the code of other processors. */
#if defined(__x86_64__) && defined(__has_builtin) && !defined(HW_LAYOUT_COPY_PLAIN)
#if __has_builtin(__builtin_shufflevector)
#define HAS_AVX512 1
#endif
#endif

#ifdef HAS_AVX512
typedef uint64_t vec64 __attribute__((vector_size(64)));
typedef uint64_t vec32 __attribute__((vector_size(32)));

/* Unaligned loads and stores. Written out, because compilers do not unroll loops over vectors at -O2. */
#define LOAD(type, name, at)                                                                                           \
    type name;                                                                                                         \
    memcpy(&name, at, sizeof name)
#define STORE(at, value) memcpy(at, &value, sizeof value)
#define SHUFFLE          __builtin_shufflevector

/* Transposes four rows of four pieces of 16 bytes. */
ALWAYS_INLINE void transpose_16(uint8_t *to, size_t to_stride_B, const uint8_t *from, size_t from_stride_B)
{
    LOAD(vec64, a, from);
    LOAD(vec64, b, from + from_stride_B);
    LOAD(vec64, c, from + 2 * from_stride_B);
    LOAD(vec64, d, from + 3 * from_stride_B);
    const vec64 ab_low = SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11), ab_high = SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    const vec64 cd_low = SHUFFLE(c, d, 0, 1, 2, 3, 8, 9, 10, 11), cd_high = SHUFFLE(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
    a = SHUFFLE(ab_low, cd_low, 0, 1, 4, 5, 8, 9, 12, 13);
    b = SHUFFLE(ab_low, cd_low, 2, 3, 6, 7, 10, 11, 14, 15);
    c = SHUFFLE(ab_high, cd_high, 0, 1, 4, 5, 8, 9, 12, 13);
    d = SHUFFLE(ab_high, cd_high, 2, 3, 6, 7, 10, 11, 14, 15);
    STORE(to, a);
    STORE(to + to_stride_B, b);
    STORE(to + 2 * to_stride_B, c);
    STORE(to + 3 * to_stride_B, d);
}

ALWAYS_INLINE void avx512_run_16_from(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    transpose_16(raster, stride_B, tiled, HW_UTILE_B);
}

ALWAYS_INLINE void avx512_run_16_to(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    transpose_16(tiled, HW_UTILE_B, raster, stride_B);
}

/* Gathers four rows of four pieces of 8 bytes into columns 0 and 1, and 2 and 3. The caller combines the upper and the
 * lower four rows of a microtile. */
ALWAYS_INLINE void gather_8(const uint8_t *raster, size_t stride_B, vec64 *columns_01, vec64 *columns_23)
{
    LOAD(vec32, a, raster);
    LOAD(vec32, b, raster + stride_B);
    LOAD(vec32, c, raster + 2 * stride_B);
    LOAD(vec32, d, raster + 3 * stride_B);
    const vec64 ab = SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7), cd = SHUFFLE(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    *columns_01 = SHUFFLE(ab, cd, 0, 4, 8, 12, 1, 5, 9, 13);
    *columns_23 = SHUFFLE(ab, cd, 2, 6, 10, 14, 3, 7, 11, 15);
}

ALWAYS_INLINE void avx512_run_8_to(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    vec64 upper_01, upper_23, lower_01, lower_23;
    gather_8(raster, stride_B, &upper_01, &upper_23);
    gather_8(raster + 4 * stride_B, stride_B, &lower_01, &lower_23);
    const vec64 a = SHUFFLE(upper_01, lower_01, 0, 1, 2, 3, 8, 9, 10, 11);
    const vec64 b = SHUFFLE(upper_01, lower_01, 4, 5, 6, 7, 12, 13, 14, 15);
    const vec64 c = SHUFFLE(upper_23, lower_23, 0, 1, 2, 3, 8, 9, 10, 11);
    const vec64 d = SHUFFLE(upper_23, lower_23, 4, 5, 6, 7, 12, 13, 14, 15);
    STORE(tiled, a);
    STORE(tiled + HW_UTILE_B, b);
    STORE(tiled + 2 * HW_UTILE_B, c);
    STORE(tiled + 3 * HW_UTILE_B, d);
}

/* The inverse, except that the pieces of the two columns in a vector alternate. */
ALWAYS_INLINE void scatter_8(uint8_t *raster, size_t stride_B, const vec64 *columns_01, const vec64 *columns_23)
{
    const vec32 a = SHUFFLE(*columns_01, *columns_23, 0, 1, 8, 9), b = SHUFFLE(*columns_01, *columns_23, 2, 3, 10, 11);
    const vec32 c = SHUFFLE(*columns_01, *columns_23, 4, 5, 12, 13),
                d = SHUFFLE(*columns_01, *columns_23, 6, 7, 14, 15);
    STORE(raster, a);
    STORE(raster + stride_B, b);
    STORE(raster + 2 * stride_B, c);
    STORE(raster + 3 * stride_B, d);
}

ALWAYS_INLINE void avx512_run_8_from(uint8_t *tiled, uint8_t *raster, size_t stride_B)
{
    LOAD(vec64, a, tiled);
    LOAD(vec64, b, tiled + HW_UTILE_B);
    LOAD(vec64, c, tiled + 2 * HW_UTILE_B);
    LOAD(vec64, d, tiled + 3 * HW_UTILE_B);
    const vec64 upper_01 = SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
                lower_01 = SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    const vec64 upper_23 = SHUFFLE(c, d, 0, 8, 1, 9, 2, 10, 3, 11),
                lower_23 = SHUFFLE(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
    scatter_8(raster, stride_B, &upper_01, &upper_23);
    scatter_8(raster + 4 * stride_B, stride_B, &lower_01, &lower_23);
}
#endif

/* ---------------------------------------------------------------- surfaces */

/* A copy goes from or to a surface; the other side is rows of raster memory. */
struct copy_args {
    uint8_t *surface;
    enum hw_tiling tiling;
    uint32_t stride_B, cpp; /* of the surface */
    uint8_t *raster;
    size_t raster_stride_B;
    const struct hw_copy_rect *rect;
};

static inline void copy_rows(uint8_t *dst, size_t dst_stride_B, const uint8_t *src, size_t src_stride_B, size_t row_B,
                             uint32_t rows)
{
    for (uint32_t y = 0; y < rows; y++)
        memcpy(dst + y * dst_stride_B, src + y * src_stride_B, row_B);
}

/* Copies columns [columns[0], columns[1]) and rows [rows[0], rows[1]) of one microtile. `raster` is where the first
 * element of this part goes or comes from. */
static void copy_part(enum direction direction, const struct copy_args *s, uint32_t utile_row_B, uint8_t *utile,
                      uint8_t *raster, const uint32_t columns[2], const uint32_t rows[2])
{
    uint8_t *part = utile + rows[0] * utile_row_B + columns[0] * s->cpp;
    const size_t part_B = (size_t)(columns[1] - columns[0]) * s->cpp;
    if (direction == FROM_TILED)
        copy_rows(raster, s->raster_stride_B, part, utile_row_B, part_B, rows[1] - rows[0]);
    else
        copy_rows(part, utile_row_B, raster, s->raster_stride_B, part_B, rows[1] - rows[0]);
}

/* Inlined with constant `direction`, `run` and `row_B` (bytes in a microtile's row), so each caller gets specialised
 * loops. */
ALWAYS_INLINE void copy_tiled(enum direction direction, run_fn run, uint32_t row_B, const struct copy_args *s)
{
    const struct hw_copy_rect *rect = s->rect;
    const uint32_t uw = row_B / s->cpp, uh = HW_UTILE_B / row_B;
    const uint32_t x_end = rect->x_el + rect->width_el, y_end = rect->y_el + rect->height_el;
    for (uint32_t uy = rect->y_el / uh; uy * uh < y_end; uy++) {
        const uint32_t rows[2] = {MAX2(uy * uh, rect->y_el) - uy * uh, MIN2((uy + 1) * uh, y_end) - uy * uh};
        const bool whole_rows = rows[1] - rows[0] == uh;
        const struct hw_utile_row row = hw_utile_row(s->tiling, s->stride_B, uh, row_B, uy);
        uint8_t *raster = s->raster + (size_t)(uy * uh + rows[0] - rect->y_el) * s->raster_stride_B;
        for (uint32_t ux = rect->x_el / uw; ux * uw < x_end;) {
            uint8_t *utile = s->surface + hw_utile_offset_B(&row, ux);
            if (whole_rows && ux % RUN_UT == 0 && ux * uw >= rect->x_el && (ux + RUN_UT) * uw <= x_end) {
                run(utile, raster, s->raster_stride_B);
                raster += RUN_UT * row_B;
                ux += RUN_UT;
                continue;
            }
            const uint32_t columns[2] = {MAX2(ux * uw, rect->x_el) - ux * uw, MIN2((ux + 1) * uw, x_end) - ux * uw};
            copy_part(direction, s, row_B, utile, raster, columns, rows);
            raster += (size_t)(columns[1] - columns[0]) * s->cpp;
            ux++;
        }
    }
}

static void copy_generic(enum direction direction, const struct copy_args *s)
{
    if (s->cpp == 1 && direction == FROM_TILED)
        copy_tiled(FROM_TILED, run_8_from, 8, s);
    else if (s->cpp == 1)
        copy_tiled(TO_TILED, run_8_to, 8, s);
    else if (direction == FROM_TILED)
        copy_tiled(FROM_TILED, run_16_from, 16, s);
    else
        copy_tiled(TO_TILED, run_16_to, 16, s);
}

#ifdef HAS_AVX512
__attribute__((target("avx512f"))) static void copy_avx512(enum direction direction, const struct copy_args *s)
{
    if (s->cpp == 1 && direction == FROM_TILED)
        copy_tiled(FROM_TILED, avx512_run_8_from, 8, s);
    else if (s->cpp == 1)
        copy_tiled(TO_TILED, avx512_run_8_to, 8, s);
    else if (direction == FROM_TILED)
        copy_tiled(FROM_TILED, avx512_run_16_from, 16, s);
    else
        copy_tiled(TO_TILED, avx512_run_16_to, 16, s);
}
#endif

/* Copies one sample of a dump of four. Two pixels of a row are adjacent, the next two follow 64 bytes later. */
ALWAYS_INLINE void copy_sample_rows(enum direction direction, const struct copy_args *s)
{
    const struct hw_copy_rect *rect = s->rect;
    const uint32_t width_px = s->stride_B / (HW_MS_SAMPLES * s->cpp), x_end = rect->x_el + rect->width_el;
    for (uint32_t i = 0; i < rect->height_el; i++) {
        uint8_t *raster = s->raster + i * s->raster_stride_B;
        uint8_t *row = s->surface + hw_ms_offset_B(width_px, 0, rect->y_el + i, 0);
        for (uint32_t x = rect->x_el; x < x_end;) {
            uint8_t *texels = row + (size_t)(x / HW_MS_TILE_PX) * HW_MS_TILE_B + x % HW_MS_TILE_PX / 2 * 64 + x % 2 * 4;
            const uint32_t count = MIN2(2 - x % 2, x_end - x);
            if (count == 2) /* memcpy of constant size */
                memcpy(direction == FROM_TILED ? raster : texels, direction == FROM_TILED ? texels : raster, 8);
            else
                memcpy(direction == FROM_TILED ? raster : texels, direction == FROM_TILED ? texels : raster, 4);
            raster += (size_t)count * 4;
            x += count;
        }
    }
}

static void copy_sample(enum direction direction, const struct copy_args *s)
{
    assert(s->cpp == 4 && "dumps hold words of the tile buffer");
    if (direction == FROM_TILED)
        copy_sample_rows(FROM_TILED, s);
    else
        copy_sample_rows(TO_TILED, s);
}

static void copy(enum direction direction, const struct copy_args *s)
{
    if (s->tiling == HW_TILING_MS) {
        copy_sample(direction, s);
        return;
    }
#ifdef HAS_AVX512
    if (__builtin_cpu_supports("avx512f")) {
        copy_avx512(direction, s);
        return;
    }
#endif
    copy_generic(direction, s);
}

void hw_copy_from_tiled(void *raster, uint32_t raster_stride_B, const void *surface, enum hw_tiling tiling,
                        uint32_t stride_B, uint32_t cpp, const struct hw_copy_rect *rect)
{
    if (tiling == HW_TILING_RASTER) {
        const uint8_t *src = (const uint8_t *)surface + (size_t)rect->y_el * stride_B + (size_t)rect->x_el * cpp;
        copy_rows(raster, raster_stride_B, src, stride_B, (size_t)rect->width_el * cpp, rect->height_el);
        return;
    }
    copy(FROM_TILED,
         &(struct copy_args){(uint8_t *)(uintptr_t)surface, tiling, stride_B, cpp, raster, raster_stride_B, rect});
}

void hw_copy_to_tiled(void *surface, enum hw_tiling tiling, uint32_t stride_B, uint32_t cpp, const void *raster,
                      uint32_t raster_stride_B, const struct hw_copy_rect *rect)
{
    if (tiling == HW_TILING_RASTER) {
        uint8_t *dst = (uint8_t *)surface + (size_t)rect->y_el * stride_B + (size_t)rect->x_el * cpp;
        copy_rows(dst, stride_B, raster, raster_stride_B, (size_t)rect->width_el * cpp, rect->height_el);
        return;
    }
    copy(TO_TILED,
         &(struct copy_args){surface, tiling, stride_B, cpp, (uint8_t *)(uintptr_t)raster, raster_stride_B, rect});
}
