/* SPDX-License-Identifier: MIT
 *
 * Passes from piece to piece of a long program. A piece of host code leaves the whole state in the core. So if the next
 * piece has no host code, the interpreter runs up to the next entry of a piece that has.
 *
 * User programs are not interpreted here, because they run in slices: the caller goes on with them, and enters host
 * code again at the next loop.
 */
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_pieces.h"

bool jit_pieces_init(struct jit_pieces *pieces, const struct jit_source *source, const char **message_out)
{
    struct jit_program program;

    *pieces = (struct jit_pieces){0};
    if (!jit_program_read(source, &program, message_out))
        return false;
    if (jit_plan_make(&program, source->piece_instrs, &pieces->plan, message_out)) {
        pieces->code = calloc(pieces->plan.count, sizeof pieces->code[0]);
        *message_out = pieces->code ? NULL : "out of memory";
    }
    jit_program_free(&program);
    if (*message_out)
        jit_pieces_finish(pieces);
    return !*message_out;
}

void jit_pieces_finish(struct jit_pieces *pieces)
{
    jit_plan_free(&pieces->plan);
    free(pieces->code);
    *pieces = (struct jit_pieces){0};
}

/* -- from the interpreter to host code ----------------------------------------------------------------------------- */

/* The results that wait in a texture unit, the oldest first. */
static struct jit_tmu tmu_of(struct gpu_tmu_port *port)
{
    struct jit_tmu tmu = {.count = (uint8_t)port->count, .configs = (uint8_t)port->request.configs};
    const struct gpu_tmu_port before = *port;

    for (unsigned n = 0; n < port->count; n++)
        tmu.params[n] = before.params[(before.head + n) % GPU_TMU_FIFO];
    if (!port->head)
        return tmu;
    for (unsigned n = 0; n < port->count; n++)
        port->result[n] = before.result[(before.head + n) % GPU_TMU_FIFO];
    memcpy(port->params, tmu.params, sizeof port->params);
    port->head = 0;
    return tmu;
}

/* The entry for the interpreter's state, or 0. It keeps no record of which parameters of an unfinished texture request
 * were written, so there is no entry then. */
static uint32_t entry_of(const struct jit_pieces *pieces, struct gpu_qpu_core *core)
{
    struct jit_point point = {
        .pc = core->pc,
        .sfu_delay = core->sfu_delay,
        .switch_delay = core->switch_delay,
        .end_delay = core->end_delay,
        .fresh = {core->fresh_write[0], core->fresh_write[1]},
    };

    for (unsigned n = 0; n < 2; n++) {
        if (core->tmu_port[n].request.configs)
            return 0;
        point.tmu[n] = tmu_of(&core->tmu_port[n]);
    }
    point = jit_point_canonical(&core->program->ops[core->pc].instr, point);
    return jit_plan_entry(&pieces->plan, &point);
}

/* Interprets from the core's state up to an entry of a piece; false at the program's end. */
static bool interpret(struct gpu_qpu_core *core, uint32_t *point_out)
{
    const struct jit_pieces *pieces = core->pieces;
    uint32_t entry = 0;

    while (!entry) {
        const struct jit_piece *piece = &pieces->plan.pieces[jit_plan_piece_of(&pieces->plan, core->pc)];
        if (!core->calls->interpret_range(core, piece->begin, piece->end))
            return false;
        entry = entry_of(pieces, core);
    }
    *point_out = JIT_PIECE_POINT(jit_plan_piece_of(&pieces->plan, core->pc), entry);
    return true;
}

/* -- running ------------------------------------------------------------------------------------------------------- */

static jit_fn code_of(struct gpu_qpu_core *core, uint32_t piece)
{
    struct jit_pieces *pieces = core->pieces;
    jit_fn code = atomic_load_explicit(&pieces->code[piece], memory_order_acquire);

    return code || !pieces->get_missing ? code : pieces->get_missing(pieces->owner, piece, core);
}

static uint32_t piece_of_point(const struct jit_plan *plan, uint32_t point)
{
    return JIT_IS_LOOP_POINT(point) ? jit_plan_piece_of(plan, JIT_LOOP_POINT_INDEX(point)) : JIT_PIECE_OF_POINT(point);
}

static uint32_t run_user(struct gpu_qpu_core *core, uint32_t point)
{
    uint32_t exit = JIT_CONTINUES;

    while (exit == JIT_CONTINUES) {
        jit_fn code = code_of(core, piece_of_point(&core->pieces->plan, point));
        if (!code)
            return JIT_IS_LOOP_POINT(point) ? JIT_NO_SUCH_POINT : JIT_BAILOUT;
        exit = code(core, point);
        point = core->native_point;
    }
    return exit;
}

uint32_t jit_pieces_run(struct gpu_qpu_core *core, uint32_t point)
{
    if (core->run->kind == QPU_PROGRAM_USER)
        return run_user(core, point);
    for (;;) {
        jit_fn code = code_of(core, piece_of_point(&core->pieces->plan, point));
        uint32_t exit = code ? code(core, point) : JIT_BAILOUT;
        if (exit == JIT_CONTINUES) {
            point = core->native_point;
            continue;
        }
        if (exit != JIT_BAILOUT)
            return exit;
        if (!code && !point)
            core->calls->start(core);
        if (!interpret(core, &point))
            return core->fault ? JIT_FAULT : JIT_ENDED;
    }
}
