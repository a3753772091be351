/* SPDX-License-Identifier: MIT
 *
 * Descriptors in memory, as programs of the CPU engine read them (docs/cpu-engine.md). The driver writes them and programs
 * read them: both must agree on this.
 */
#ifndef HW_DESCRIPTOR_H
#define HW_DESCRIPTOR_H

#include <stdint.h>

/* A buffer, a storage image or a storage texel buffer, word for word. A null descriptor is all zero: reads give zero, and
 * stores have no effect. */
struct hw_engine_descriptor {
    uint32_t address;        /* address of the range or of the first texel */
    union {
        uint32_t limit_B;        /* buffers: bytes from `address` on that may be accessed, a multiple of 4 */
        uint32_t texel_stride_B; /* storage images and texel buffers: bytes between texels */
    };
    union {
        uint32_t size_B;         /* buffers: size of the range */
        uint32_t word_stride_B;  /* storage images and texel buffers: bytes between the words of a texel */
    };
    uint32_t width, height, depth; /* storage images: in texels; depth: slices, layers or 6 * cubes. Texel buffers:
                                    * width only */
    uint32_t row_stride_B, layer_stride_B; /* storage images are in raster order, or dumps of four samples, whose rows
                                            * contain all samples */
    uint32_t format, texel_B;              /* storage images and texel buffers: enum hw_format, bytes per texel */
};

#endif
