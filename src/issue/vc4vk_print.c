/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "issue/vc4vk_print.h"
#include "util/log.h"

void vc4vk_print_messages(const struct vc4c_program *program, uint32_t *memory)
{
    char text[UTIL_LOG_LINE_B];
    for (uint32_t at = 0; (at = vc4c_print_message(program, memory + 1, at, text, sizeof text));)
        util_log(UTIL_LOG_PRINT, "%s", text);
    if (memory[0] > VC4C_PRINT_WORDS)
        util_log(UTIL_LOG_PRINT, "(further messages are lost: those of a program in a job may have %u bytes)",
                 VC4C_PRINT_MEMORY_B);
    memset(memory, 0, VC4C_PRINT_MEMORY_B);
}
