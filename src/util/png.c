/* SPDX-License-Identifier: MIT
 *
 * stb_image_write does not handle all failures of its allocations, so it allocates from an arena, which is left with
 * longjmp when memory runs out.
 */
#include <string.h>
#include "util/arena.h"
#include "util/png.h"

static _Thread_local struct util_arena *encoder_arena; /* of the encoder that runs on this thread */

static void *grow(const void *old, size_t old_B, size_t new_B)
{
    void *grown = util_arena_alloc_raw(encoder_arena, new_B);
    if (old)
        memcpy(grown, old, old_B);
    return grown;
}

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBIW_MALLOC(size_B)                   util_arena_alloc_raw(encoder_arena, (size_t)(size_B))
#define STBIW_REALLOC_SIZED(old, old_B, new_B) grow(old, (size_t)(old_B), (size_t)(new_B))
#define STBIW_FREE(memory)                     ((void)(memory))
#include <stb/stb_image_write.h>

struct sink {
    void (*put)(void *data, const void *bytes, size_t size_B);
    void *data;
};

static void put_to_sink(void *context, void *bytes, int size_B)
{
    const struct sink *sink = context;
    sink->put(sink->data, bytes, (size_t)size_B);
}

bool util_png_encode(const struct util_png_image *image, const struct util_alloc *alloc,
                     void (*put)(void *data, const void *bytes, size_t size_B), void *data)
{
    struct sink sink = {put, data};
    struct util_arena arena;
    jmp_buf oom;
    volatile bool is_encoded = false;
    util_arena_init(&arena, alloc);
    arena.on_oom = &oom;
    encoder_arena = &arena;
    if (!setjmp(oom))
        is_encoded = stbi_write_png_to_func(put_to_sink, &sink, (int)image->width_px, (int)image->height_px, 3,
                                            image->rgb, 0) != 0;
    encoder_arena = NULL;
    util_arena_finish(&arena);
    return is_encoded;
}
