/* SPDX-License-Identifier: MIT
 *
 * Decodes compressed colour formats (ETC2, EAC, BC1 to BC7, ASTC) on the CPU, one block at a time. The format's row
 * says how many texels a block has (block_w, block_h). The chip itself samples ETC1 only.
 */
#ifndef HW_CODEC_H
#define HW_CODEC_H

#include "hw/format.h"

#define HW_CODEC_MAX_TEXELS (12u * 12) /* per block */

/* The uncompressed format that hw_codec_decode produces. It loses no precision: 8 bits per channel where the compressed
 * format defines 8, 16 bits for 11-bit values and for interpolated single channels. Linear ASTC, which is defined to
 * decode to half floats, is the exception: 8 bits hold its end points but round what is interpolated. HW_FORMAT_NONE:
 * no decoder here. */
enum hw_format hw_codec_decoded(enum hw_format format);

/* Decodes one block into block_w x block_h texels of hw_codec_decoded(format), row by row from the top. A block of a
 * reserved mode is opaque black in BC6H, transparent black in BC7 and opaque magenta in ASTC. */
void hw_codec_decode(enum hw_format format, const void *block, void *texels);

#endif
