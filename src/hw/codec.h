/* SPDX-License-Identifier: MIT
 *
 * Decodes compressed colour formats (ETC2, EAC, BC1 to BC7) on the CPU, one block of 4 x 4 texels at a time. The chip
 * itself samples ETC1 only.
 */
#ifndef HW_CODEC_H
#define HW_CODEC_H

#include "hw/format.h"

#define HW_CODEC_TEXELS 16u /* per block */

/* The uncompressed format that hw_codec_decode produces. It loses no precision: 8 bits per channel where the compressed
 * format defines 8, 16 bits for 11-bit values and for interpolated single channels. HW_FORMAT_NONE: no decoder here. */
enum hw_format hw_codec_decoded(enum hw_format format);

/* Decodes one block into 16 texels of hw_codec_decoded(format), row by row from the top. A block of a reserved mode is
 * opaque black in BC6H and transparent black in BC7. */
void hw_codec_decode(enum hw_format format, const void *block, void *texels);

#endif
