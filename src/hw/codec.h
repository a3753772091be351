/* SPDX-License-Identifier: MIT
 *
 * Compressed colours: blocks of 4 x 4 texels, decoded by the CPU. The chip itself knows ETC1 only.
 */
#ifndef HW_CODEC_H
#define HW_CODEC_H

#include "hw/format.h"

#define HW_CODEC_TEXELS 16u /* of a block */

/* The layout of decoded texels, which keeps all that the blocks say: 8 bits where the format defines 8, 16 bits for
 * values of 11 bits and for interpolated single channels. HW_FORMAT_NONE: not compressed. */
enum hw_format hw_codec_decoded(enum hw_format format);

/* Decodes one block into 16 texels of hw_codec_decoded(format), row by row from the top. Blocks that the format calls
 * invalid or reserved are opaque black. */
void hw_codec_decode(enum hw_format format, const void *block, void *texels);

#endif
