/* SPDX-License-Identifier: MIT
 *
 * The words that a pass-through stage draws, and their place in memory.
 */
#include <stdlib.h>
#include "pipeline/vc4vk_pass_through.h"

/* Built-ins are always drawn. */
static bool reads_word(const struct vc4c_interface *reader, uint32_t word)
{
    bool reads = !reader || word < VC4C_RECORD_USER;
    for (uint32_t i = 0; !reads && i < reader->input_count; i++)
        reads = VC4C_RECORD_USER + 4 * reader->inputs[i].location + reader->inputs[i].component == word;
    return reads;
}

void vc4vk_pass_through_init(struct vc4vk_pass_through *out, const struct vc4c_interface *writer,
                             const struct vc4c_interface *reader, bool numbers, bool stipples)
{
    out->count = 0;
    for (uint32_t word = 0; word < VC4C_RECORD_WORDS; word++)
        if ((vc4c_writes_record_word(writer, word) && reads_word(reader, word)) ||
            (numbers && word == VC4C_RECORD_PRIMITIVE))
            out->words[out->count++] = (uint8_t)word;
    for (uint32_t i = 0; i < VC4C_STIPPLE_WORDS && stipples; i++)
        out->words[out->count++] = (uint8_t)(VC4C_RECORD_STIPPLE + i);
    _Static_assert(VC4C_DRAWN_WORDS <= 4 * VC4C_MAX_ATTRIBUTES, "vertices have too few attributes for a record");
}

struct vc4vk_vertex_input vc4vk_pass_through_input(const struct vc4vk_pass_through *pass)
{
    struct vc4vk_vertex_input input = {.binding_mask = 1};
    input.bindings[0].stride_B = vc4vk_pass_through_stride_B(pass);
    for (uint32_t i = 0; 4 * i < pass->count; i++)
        input.attributes[i] =
            (struct vc4vk_vertex_attribute){.format = HW_FORMAT_R32G32B32A32_UINT, .size_B = 16, .offset_B = 16 * i};
    return input;
}

VkResult vc4vk_pass_through_spirv(struct vc4vk_device *device, const struct vc4vk_pass_through *pass,
                                  struct vc4vk_spirv **out)
{
    uint32_t *words = malloc(VC4C_PASS_THROUGH_WORDS * sizeof *words);
    if (!words)
        return vc4vk_oom(device);
    const uint32_t count = vc4c_pass_through(pass->words, pass->count, words);
    VkResult result = vc4vk_spirv_create(device, words, count * sizeof *words, out);
    free(words);
    return result;
}
