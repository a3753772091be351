/* SPDX-License-Identifier: MIT
 *
 * Selection of inputs and outputs: attributes and varyings, lookups through the texture units, vertex results, tile
 * buffer accesses.
 *
 * Attributes arrive row by row and varyings slot by slot, in a fixed order, and all must be read [notes H15, H27, 6.2,
 * 6.4]. So they are read at the program's start, before any branch; within that block the scheduler may delay them.
 */
#include "compiler/qpu/qc_select.h"

/* Rows that one read setup can request [guide p.56; notes 6.4]. */
#define VPM_ROWS_PER_SETUP      16
#define VPM_SETUP_HORIZONTAL_32 0x00001a00u
#define VPM_ROWS                64
#define VPM_ENGINE_RESULT_ROW   128 /* CPU engine: row number of the first result after row 63 */

/* ---------------------------------------------------------------- start of the program */

static void vpm_setup(struct qc_sel *s, uint32_t word, uint8_t files, uint8_t chain)
{
    /* A uniform instead of a load-immediate, so that the setup can share an instruction. */
    struct qc_instr *i = qc_sel_mov_to(s, QPU_W_VPMVCD_SETUP, qc_src_const(word));
    i->waddr_files = files;
    i->chains = chain;
    qc_sel_emit(s, i);
}

static bool row_is_used(struct qc_sel *s, uint32_t row)
{
    return s->rows[row] != QC_NONE;
}

static uint32_t row_of(struct qc_sel *s, const struct ir_instr *attribute)
{
    const struct ir_shader *shader = s->p->shader;
    for (uint32_t k = 0; k < shader->attribute_count; k++) {
        if (shader->attributes[k].location == attribute->imm2)
            return shader->attributes[k].vpm_B / 4u + attribute->imm;
    }
    qc_fail(s->p, VC4C_INVALID, "back end: attribute at location %u is read but has no VPM row", attribute->imm2);
}

static void read_rows(struct qc_sel *s)
{
    for (uint32_t row = 0; row < s->row_count; row++) {
        if (row % VPM_ROWS_PER_SETUP == 0) {
            uint32_t count = MIN2(s->row_count - row, VPM_ROWS_PER_SETUP);
            vpm_setup(s, VPM_SETUP_HORIZONTAL_32 | (count % 16) << 20 | row, QC_FILE_A, QC_CHAIN_VPM_READ);
        }
        struct qc_instr *i = qc_instr_new(s->p, row_is_used(s, row) ? QC_ALU : QC_READ);
        i->src[0] = qc_src_read(QPU_R_VPM, QC_FILE_ANY);
        i->chains = QC_CHAIN_VPM_READ;
        if (row_is_used(s, row)) {
            i->op_add = QPU_A_OR;
            i->op_mul = QPU_M_V8MIN;
            i->dst = s->rows[row] = qc_sel_any_temp(s);
        }
        qc_sel_emit(s, i);
    }
}

static void start_vertex(struct qc_sel *s)
{
    const struct ir_shader *shader = s->p->shader;
    s->row_count = util_div_round_up(shader->attribute_size_B, 4);
    ir_for_each_block(block, s->p->shader) {
        ir_for_each_instr(i, block) {
            if (i->op == IR_ATTRIBUTE)
                s->row_count = MAX2(s->row_count, row_of(s, i) + 1);
        }
    }
    if (s->row_count > 64)
        qc_fail(s->p, VC4C_DOES_NOT_FIT, "back end: the attributes take %u VPM rows, the limit is 64", s->row_count);
    s->rows = util_arena_new_array(s->p->arena, uint32_t, s->row_count + 1);
    for (uint32_t row = 0; row < s->row_count; row++)
        s->rows[row] = QC_NONE;
    ir_for_each_block(block, s->p->shader) {
        ir_for_each_instr(i, block) {
            if (i->op == IR_ATTRIBUTE && !util_list_is_empty(&i->value.uses))
                s->rows[row_of(s, i)] = 0;
        }
    }
    read_rows(s);
    vpm_setup(s, VPM_SETUP_HORIZONTAL_32, QC_FILE_B, QC_CHAIN_VPM_WRITE);
}

/* value = VARYING * W + C, where C stays in r5 until the next read [notes 6.2]. Flat varyings are just C. */
static uint32_t read_varying(struct qc_sel *s, bool is_used, bool is_flat)
{
    struct qc_instr *i = qc_instr_new(s->p, is_used && !is_flat ? QC_ALU : QC_READ);
    i->src[0] = qc_src_read(QPU_R_VARYING, QC_FILE_ANY);
    i->chains = QC_CHAIN_VARYING;
    uint32_t product = QC_NONE, c = QC_NONE;
    if (is_used) {
        c = i->result = qc_temp_new(s->p, QC_IN_R5 | QC_IN_ACC | QC_IN_A | QC_IN_B);
        if (!is_flat) {
            i->op_mul = QPU_M_FMUL;
            i->src[1] = qc_src_temp(s->w);
            product = i->dst = qc_sel_any_temp(s);
        }
    }
    qc_sel_emit(s, i);
    if (!is_used)
        return QC_NONE;
    uint32_t value = qc_sel_any_temp(s);
    if (is_flat)
        qc_sel_mov(s, value, qc_src_temp(c));
    else
        qc_sel_alu(s, QPU_A_FADD, QPU_M_NOP, value, qc_src_temp(product), qc_src_temp(c));
    return value;
}

static uint32_t payload_temp(struct qc_sel *s, unsigned which)
{
    uint32_t t = qc_sel_any_temp(s);
    s->p->temps[t].payload = (uint8_t)which;
    return t;
}

static uint32_t slot_of(struct qc_sel *s, const struct ir_instr *i)
{
    return i->op == IR_POINT_COORD ? i->imm : s->extra_varyings + i->imm;
}

static void start_fragment(struct qc_sel *s)
{
    const struct ir_shader *shader = s->p->shader;
    s->w = payload_temp(s, 1);
    s->z = payload_temp(s, 2);
    s->extra_varyings = shader->primitive == VC4C_PRIMITIVE_POINTS ? 2 : shader->primitive == VC4C_PRIMITIVE_LINES;
    uint32_t count = s->extra_varyings + shader->input_count;
    s->varyings = util_arena_new_array(s->p->arena, uint32_t, count + 1);
    bool *is_used = util_arena_new_array(s->p->arena, bool, count + 1);
    ir_for_each_block(block, s->p->shader) {
        ir_for_each_instr(i, block) {
            if (i->op != IR_VARYING && i->op != IR_POINT_COORD)
                continue;
            if (slot_of(s, i) >= count || (i->op == IR_POINT_COORD && i->imm >= s->extra_varyings))
                qc_fail(s->p, VC4C_INVALID, "back end: varying %u is not among the inputs", i->imm);
            if (!util_list_is_empty(&i->value.uses))
                is_used[slot_of(s, i)] = true;
        }
    }
    if (shader->pops_varyings)
        count = s->extra_varyings;
    for (uint32_t k = 0; k < count; k++) {
        bool is_flat = k >= s->extra_varyings && shader->inputs[k - s->extra_varyings].flat;
        s->varyings[k] = read_varying(s, is_used[k], is_flat);
    }
}

void qc_sel_start(struct qc_sel *s)
{
    s->w = s->z = QC_NONE;
    ir_for_each_block(block, s->p->shader) {
        ir_for_each_instr(i, block)
            s->uses_direct |= i->op == IR_DIRECT || i->op == IR_DIRECT_TEX || i->op == IR_LOAD_TABLE;
    }
    if (s->p->kind == VC4C_PROGRAM_FRAGMENT)
        start_fragment(s);
    else if (s->p->kind != VC4C_PROGRAM_COMPUTE)
        start_vertex(s);
}

/* ---------------------------------------------------------------- lookups */

struct qc_instr *qc_sel_load_result(struct qc_sel *s, unsigned unit, uint32_t request)
{
    struct qc_instr *i = qc_instr_new(s->p, QC_SIGNAL);
    i->sig = (uint8_t)(QPU_SIG_LOAD_TMU0 + unit);
    i->tmu_unit = (uint8_t)unit;
    i->request = request;
    i->result = qc_temp_new(s->p, QC_IN_ACC | QC_IN_A | QC_IN_B | QC_IN_R4);
    return qc_sel_emit(s, i);
}

/* The texture unit of each kind of request. Once a unit has made a direct lookup, the kernel checks all its later
 * requests as direct ones [notes 9.6 rule 16], so direct lookups have unit 1 to themselves. */
#define TEXTURE_UNIT 0
#define DIRECT_UNIT  1

static void select_tex(struct qc_sel *s, struct ir_instr *i)
{
    const struct ir_tex *t = &i->tex;
    /* The sources are in the order s, t, r, b; writes and configuration words in the order r, t, b, s. */
    unsigned r = 2, b = 2u + t->has_r;
    struct {
        uint8_t waddr, source;
    } writes[4];
    unsigned count = 0;
    if (t->has_r)
        writes[count].waddr = QPU_W_TMU0_R, writes[count++].source = (uint8_t)r;
    writes[count].waddr = QPU_W_TMU0_T, writes[count++].source = 1;
    if (t->has_b)
        writes[count].waddr = QPU_W_TMU0_B, writes[count++].source = (uint8_t)b;
    writes[count].waddr = QPU_W_TMU0_S, writes[count++].source = 0;

    struct qc_src srcs[4];
    for (unsigned k = 0; k < count; k++) {
        srcs[k] = qc_sel_src(s, i->src[writes[k].source].def);
        /* The write pops its configuration word, so it cannot read another uniform. */
        if (srcs[k].kind == QC_SRC_UNIFORM || (srcs[k].kind == QC_SRC_CONST && qpu_small_imm_code(srcs[k].index) < 0))
            srcs[k] = qc_src_temp(qc_sel_src_to_temp(s, srcs[k]));
    }
    uint32_t request = s->p->request_count++;
    for (unsigned k = 0; k < count; k++) {
        struct qc_instr *w = qc_sel_mov_to(s, writes[k].waddr, srcs[k]);
        w->config = qc_uniform_new(s->p, t->p[k]);
        w->request = request;
        w->chains = QC_CHAIN_TMU;
        w->tmu_first = k == 0;
        w->tmu_unit = TEXTURE_UNIT;
        if (k == count - 1)
            w->lookup = qc_lookup_new(s->p, (struct vc4c_lookup){.is_buffer = 0, .ref = t->texture});
        qc_sel_emit(s, w);
    }
    s->temp_of[i->value.index] = qc_sel_load_result(s, TEXTURE_UNIT, request)->result;
}

/* Clamps the offset to 0 ... limit: max(x, 0) with a small immediate, then min. The words of a multi-word access share
 * the result; then both steps are kept in register files, which survive thread switches. */
static uint32_t clamp_offset(struct qc_sel *s, const struct ir_instr *i, enum vc4c_uniform_kind limit_kind)
{
    struct ir_instr *from = i->src[0].def;
    uint32_t span_B = i->op == IR_DIRECT_TEX ? 0 : i->imm2 >> 16;
    if (span_B && s->last_clamp.offset == from && s->last_clamp.block == s->block && s->last_clamp.op == i->op &&
        s->last_clamp.ref == i->imm && s->last_clamp.span_B == span_B)
        return s->last_clamp.temp;
    struct qc_src limit = {.kind = QC_SRC_UNIFORM};
    limit.index = qc_uniform_new(
        s->p, (struct vc4c_uniform){.kind = (uint8_t)limit_kind, .ref = (uint16_t)i->imm, .data = span_B});
    uint32_t offset = qc_sel_temp(s, from);
    uint32_t low = span_B ? qc_temp_new(s->p, QC_IN_A | QC_IN_B) : qc_sel_any_temp(s);
    uint32_t clamped = span_B ? qc_temp_new(s->p, QC_IN_A | QC_IN_B) : qc_sel_any_temp(s);
    s->p->temps[low].pinned = s->p->temps[clamped].pinned = 1;
    qc_sel_alu(s, QPU_A_MAX, QPU_M_NOP, low, qc_src_temp(offset), qc_src_const(0))->rigid = 1;
    qc_sel_alu(s, QPU_A_MIN, QPU_M_NOP, clamped, qc_src_temp(low), limit)->rigid = 1;
    s->last_clamp.offset = from;
    s->last_clamp.block = s->block;
    s->last_clamp.op = i->op;
    s->last_clamp.ref = i->imm;
    s->last_clamp.span_B = span_B;
    s->last_clamp.temp = clamped;
    return clamped;
}

/* The pattern that the kernel requires [notes 9.6 rules 13, 14]: a clamp, then an add of the base into S, all
 * unconditional. */
static void select_direct(struct qc_sel *s, struct ir_instr *i)
{
    const bool is_buffer = i->op != IR_DIRECT_TEX, is_table = i->op == IR_LOAD_TABLE;
    const uint16_t ref = (uint16_t)i->imm;
    const uint32_t clamped = clamp_offset(s, i,
                                          is_table    ? VC4C_UNIFORM_TABLE_LIMIT
                                          : is_buffer ? VC4C_UNIFORM_BUFFER_LIMIT
                                                      : VC4C_UNIFORM_DIRECT_LIMIT);
    const enum vc4c_uniform_kind base_kind = is_table    ? VC4C_UNIFORM_TABLE_BASE
                                             : is_buffer ? VC4C_UNIFORM_BUFFER_BASE
                                                         : VC4C_UNIFORM_DIRECT_BASE;
    struct qc_src base = {.kind = QC_SRC_UNIFORM};
    base.index = qc_uniform_new(
        s->p, (struct vc4c_uniform){.kind = (uint8_t)base_kind, .ref = ref, .data = is_buffer ? i->imm2 & 0xffff : 0});
    struct qc_instr *w = qc_instr_new(s->p, QC_ALU);
    w->op_add = QPU_A_ADD;
    w->src[0] = qc_src_temp(clamped);
    w->src[1] = base;
    w->waddr = QPU_W_TMU0_S + 4 * DIRECT_UNIT;
    w->rigid = 1;
    w->chains = QC_CHAIN_TMU;
    w->tmu_first = 1;
    w->tmu_unit = DIRECT_UNIT;
    w->request = s->p->request_count++;
    w->lookup =
        qc_lookup_new(s->p, (struct vc4c_lookup){.is_buffer = is_buffer, .ref = is_table ? VC4C_BUFFER_TABLES : ref});
    qc_sel_emit(s, w);
    s->temp_of[i->value.index] = qc_sel_load_result(s, DIRECT_UNIT, w->request)->result;
}

/* ---------------------------------------------------------------- results */

static struct qc_instr *tlb_write(struct qc_sel *s, uint8_t waddr, struct qc_src src, bool takes_scoreboard)
{
    struct qc_instr *i = qc_sel_mov_to(s, waddr, src);
    i->chains = QC_CHAIN_TLB;
    i->tlb = takes_scoreboard;
    s->p->uses_tlb |= takes_scoreboard;
    return i;
}

static void select_tlb_store(struct qc_sel *s, struct ir_instr *i, uint8_t waddr)
{
    struct qc_src word = qc_sel_src(s, i->src[0].def);
    struct qc_flags f;
    bool value;
    if (s->exec == QC_NONE && !qc_sel_const_bool(i->src[1].def, &value))
        f = qc_sel_flags(s, i->src[1].def, &word, 1);
    else
        f = qc_sel_flags_active(s, i->src[1].def);
    if (f.cond == QPU_COND_NEVER)
        return;
    struct qc_instr *w = tlb_write(s, waddr, word, true);
    w->cond = f.cond;
    w->uses = f.group;
    qc_sel_emit(s, w);
}

static void select_color_load(struct qc_sel *s, struct ir_instr *i)
{
    struct qc_instr *l = qc_instr_new(s->p, QC_SIGNAL);
    l->sig = QPU_SIG_COLOR_LOAD;
    l->chains = QC_CHAIN_TLB;
    l->tlb = 1;
    l->result = qc_temp_new(s->p, QC_IN_ACC | QC_IN_A | QC_IN_B | QC_IN_R4);
    s->p->uses_tlb = true;
    s->temp_of[i->value.index] = l->result;
    qc_sel_emit(s, l);
}

static void select_ms_flags_and(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t mask = qc_sel_temp(s, i->src[0].def);
    struct qc_instr *w = qc_instr_new(s->p, QC_ALU);
    if (s->exec != QC_NONE) {
        struct qc_flags f = qc_sel_flags_word(s, s->exec);
        w->cond = f.cond;
        w->uses = f.group;
    }
    w->op_add = QPU_A_AND;
    w->src[0] = qc_src_temp(mask);
    w->src[1] = qc_src_read(QPU_R_MS_REV_FLAGS, QC_FILE_A);
    w->waddr = QPU_W_MS_REV_FLAGS;
    w->waddr_files = QC_FILE_A;
    w->chains = QC_CHAIN_TLB;
    qc_sel_emit(s, w);
}

static void select_rev_flag(struct qc_sel *s, struct ir_instr *i)
{
    struct qc_instr *w = qc_sel_mov_to(s, QPU_W_MS_REV_FLAGS, qc_sel_src(s, i->src[0].def));
    w->waddr_files = QC_FILE_B;
    w->chains = QC_CHAIN_TLB;
    qc_sel_emit(s, w);
}

static uint32_t lost_setups(const struct qc_sel *s)
{
    return s->p->site_count + s->setups_lost;
}

bool qc_sel_io(struct qc_sel *s, struct ir_instr *i)
{
    switch (i->op) {
    case IR_ATTRIBUTE:
        s->temp_of[i->value.index] = s->rows[row_of(s, i)];
        return true;
    case IR_POP_VARYING:
        s->temp_of[i->value.index] =
            read_varying(s, !util_list_is_empty(&i->value.uses), s->p->shader->inputs[i->imm].flat);
        return true;
    case IR_VARYING:
    case IR_POINT_COORD:
        s->temp_of[i->value.index] = s->varyings[slot_of(s, i)];
        return true;
    case IR_MS_FLAGS: {
        struct qc_instr *m = qc_sel_mov(s, qc_sel_any_temp(s), qc_src_read(QPU_R_MS_REV_FLAGS, QC_FILE_A));
        m->chains = QC_CHAIN_TLB;
        s->last_tlb_serial = s->serial;
        s->temp_of[i->value.index] = m->dst;
        return true;
    }
    case IR_TEX:
        select_tex(s, i);
        return true;
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
        select_direct(s, i);
        return true;
    case IR_VPM_STORE: {
        /* Sequences and spills overwrite the VPM write setup, and its address wraps after 64 rows: both need a new
         * setup. */
        if (s->setups != lost_setups(s) || (s->result_rows && s->result_rows % VPM_ROWS == 0)) {
            const uint32_t more = s->result_rows < VPM_ROWS ? 0 : VPM_ENGINE_RESULT_ROW - VPM_ROWS;
            const uint32_t row = more + s->result_rows;
            vpm_setup(s, VPM_SETUP_HORIZONTAL_32 | row, QC_FILE_B, QC_CHAIN_VPM_WRITE);
            s->setups = lost_setups(s);
        }
        s->result_rows++;
        struct qc_instr *w = qc_sel_mov_to(s, QPU_W_VPM, qc_sel_src(s, i->src[0].def));
        w->chains = QC_CHAIN_VPM_WRITE;
        qc_sel_emit(s, w);
        return true;
    }
    case IR_TLB_STENCIL:
        qc_sel_emit(s, tlb_write(s, QPU_W_TLB_STENCIL_SETUP, qc_sel_src(s, i->src[0].def), false));
        return true;
    case IR_TLB_Z:
        select_tlb_store(s, i, QPU_W_TLB_Z);
        return true;
    case IR_TLB_COLOR_LOAD:
        select_color_load(s, i);
        return true;
    case IR_TLB_COLOR_STORE:
        select_tlb_store(s, i, QPU_W_TLB_COLOR_ALL);
        return true;
    case IR_TLB_COLOR_STORE_MS:
        select_tlb_store(s, i, QPU_W_TLB_COLOR_MS);
        return true;
    case IR_MS_FLAGS_AND:
        select_ms_flags_and(s, i);
        return true;
    case IR_REV_FLAG:
        select_rev_flag(s, i);
        return true;
    default:
        return qc_sel_engine(s, i);
    }
}
