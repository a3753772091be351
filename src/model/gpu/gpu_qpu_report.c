/* SPDX-License-Identifier: MIT
 *
 * Report of VC4VK_DEBUG=hang for a program that the chip would never finish: where it stopped, the code around it, and
 * the contents of its registers.
 */
#include <inttypes.h>
#include <stdio.h>
#include "hw/qpu.h"
#include "model/gpu/gpu_qpu_state.h"
#include "util/debug.h"
#include "util/log.h"

#define LINES_AROUND 12u

static void print_vector(const char *name, const union gpu_vec *v)
{
    char text[QPU_LANES * 9 + 1];
    for (unsigned l = 0; l < QPU_LANES; l++)
        snprintf(text + l * 9, sizeof text - l * 9, " %08" PRIx32, v->u[l]);
    util_info("  %-4s%s", name, text);
}

static void print_code(const struct gpu_qpu_core *core)
{
    const uint32_t count = core->program->count;
    const uint32_t first = core->pc > LINES_AROUND ? core->pc - LINES_AROUND : 0;
    for (uint32_t i = first; i < MIN2(count, core->pc + LINES_AROUND); i++) {
        char text[160];
        qpu_print(&core->program->ops[i].instr, text, sizeof text);
        util_info("%s %4" PRIu32 ": %s", i == core->pc ? "->" : "  ", i, text);
    }
}

void gpu_qpu_report(const struct gpu_qpu_core *core)
{
    static const char *const kinds[] = {
        [QPU_PROGRAM_VERTEX] = "vertex", [QPU_PROGRAM_FRAGMENT] = "fragment", [QPU_PROGRAM_USER] = "user"};
    char name[8];
    if (!util_debug(UTIL_DEBUG_HANG))
        return;
    util_info("QPU: %s; %s program at 0x%08" PRIx32 ", instruction %" PRIu32 " of %" PRIu32, core->fault,
              kinds[core->run->kind], core->program->code_addr, core->pc, core->program->count);
    print_code(core);
    for (unsigned i = 0; i < ARRAY_SIZE(core->acc); i++) {
        snprintf(name, sizeof name, "r%u", i);
        print_vector(name, &core->acc[i]);
    }
    for (unsigned i = 0; i < 64; i++) {
        if (!(core->program->named[i / 32] & BIT(i % 32)))
            continue;
        snprintf(name, sizeof name, "r%c%u", i < 32 ? 'a' : 'b', i % 32);
        print_vector(name, &core->file[i / 32][i % 32]);
    }
    print_vector("z", &core->flags.z);
    print_vector("n", &core->flags.n);
    print_vector("c", &core->flags.c);
}
