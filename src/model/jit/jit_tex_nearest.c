/* SPDX-License-Identifier: MIT
 *
 * Nearest lookups in place: what gpu_tmu_simd.c does, bit for bit, for the textures of which struct gpu_nearest tells all.
 *
 * Which texture a request names is not known while compiling, but those that have a coordinate in common are most often
 * of one: what filters in code asks for neighbours. Such requests make a group. Its first one finds the texture; the
 * others see whether theirs is the same one, and go by call where not. As all take what they need from the group, LLVM
 * finds the places of columns and rows only once for each coordinate. The first one also fetches ahead.
 */
#include "model/jit/jit_emit.h"

#define MIN_REQUESTS 4u /* of a program that is worth the code */

/* -- groups ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef scalar(struct jit_emitter *e, size_t near, size_t offset_B)
{
    return jit_load_field(e, e->t.i32, e->core, near + offset_B);
}

static LLVMValueRef all_lanes(struct jit_emitter *e, size_t near, size_t offset_B)
{
    return jit_spread(e, scalar(e, near, offset_B));
}

#define EACH(field, n) offsetof(struct gpu_nearest, field) + sizeof(uint32_t) * (n)

static void read_texture(struct jit_emitter *e, size_t near, struct jit_near *g)
{
    g->usable = LLVMBuildIsNotNull(e->b, scalar(e, near, offsetof(struct gpu_nearest, usable)), "");
    g->texels = jit_load_field(e, e->t.ptr, e->core, near + offsetof(struct gpu_nearest, texels));
    for (unsigned n = 0; n < 2; n++) {
        g->size[n] = all_lanes(e, near, EACH(size, n));
        g->repeats[n] = all_lanes(e, near, EACH(repeats, n));
        g->count[n] = all_lanes(e, near, EACH(count, n));
        g->beyond[n] = all_lanes(e, near, EACH(beyond, n));
        g->row[n] = all_lanes(e, near, EACH(row, n));
    }
    for (unsigned n = 0; n < 4; n++)
        g->column[n] = all_lanes(e, near, EACH(column, n));
    g->flip = all_lanes(e, near, offsetof(struct gpu_nearest, flip));
    g->flip_odd = all_lanes(e, near, offsetof(struct gpu_nearest, flip_odd));
    g->row_shift = all_lanes(e, near, offsetof(struct gpu_nearest, row_shift));
    g->odd = all_lanes(e, near, offsetof(struct gpu_nearest, odd));
    g->row_B = all_lanes(e, near, offsetof(struct gpu_nearest, row_B));
    g->opaque = all_lanes(e, near, offsetof(struct gpu_nearest, opaque));
}

static LLVMValueRef equal(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, a, b, "");
}

/* Each group has a place in the core where its texture mostly stays. */
static struct jit_near *begin_group(struct jit_emitter *e, LLVMValueRef p0, LLVMValueRef p1)
{
    unsigned number = e->nears++ % GPU_NEAREST_SLOTS;
    size_t near = offsetof(struct gpu_qpu_core, near) + number * sizeof(struct gpu_nearest);
    LLVMBasicBlockRef find = jit_new_block(e, ""), found = jit_new_block(e, "");
    LLVMValueRef same = LLVMBuildAnd(e->b, equal(e, scalar(e, near, offsetof(struct gpu_nearest, p0)), p0),
                                     equal(e, scalar(e, near, offsetof(struct gpu_nearest, p1)), p1), "");
    struct jit_near *g = &e->near[e->near_next++ % JIT_NEAR_GROUPS];

    jit_branch_unlikely(e, LLVMBuildNot(e->b, same, ""), find, found);
    LLVMPositionBuilderAtEnd(e->b, find);
    LLVMValueRef args[4] = {e->core, jit_word(e, number), p0, p1};
    jit_call_rarely(e, offsetof(struct jit_calls, find_texture), e->t.none, args, 4);
    LLVMBuildBr(e->b, found);
    LLVMPositionBuilderAtEnd(e->b, found);
    *g = (struct jit_near){.p0 = p0, .p1 = p1};
    read_texture(e, near, g);
    return g;
}

/* The latest group with one of the coordinates, but for a request of both, which must be of another texture. */
static struct jit_near *group_with(struct jit_emitter *e, unsigned s, unsigned t)
{
    for (unsigned back = 1; back <= MIN2(e->near_next, JIT_NEAR_GROUPS); back++) {
        struct jit_near *g = &e->near[(e->near_next - back) % JIT_NEAR_GROUPS];
        bool has_one = false, has_both = false;
        for (unsigned n = 0; n < g->members; n++) {
            has_one |= g->s[n] == s || g->t[n] == t;
            has_both |= g->s[n] == s && g->t[n] == t;
        }
        if (has_one && !has_both)
            return g;
    }
    return NULL;
}

/* -- places ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef not_below(struct jit_emitter *e, LLVMValueRef x, uint32_t bound)
{
    LLVMValueRef b = jit_floats(e, jit_splat(e, bound));

    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, x, b, ""), x, b, "");
}

static LLVMValueRef not_above(struct jit_emitter *e, LLVMValueRef x, uint32_t bound)
{
    LLVMValueRef b = jit_floats(e, jit_splat(e, bound));

    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, x, b, ""), x, b, "");
}

#define ONE   0x3f800000u
#define LIMIT 0x49800000u /* 2^20 */
#define SIGN  0x80000000u

/* Number of the column or row; as coordinates are 0 at least by then, cutting rounds down. */
static LLVMValueRef texel_number(struct jit_emitter *e, const struct jit_near *g, unsigned axis,
                                 LLVMValueRef coordinate)
{
    LLVMValueRef x = not_above(e, not_below(e, jit_floats(e, coordinate), LIMIT | SIGN), LIMIT), number;
    LLVMValueRef whole = LLVMBuildAnd(e->b, jit_words(e, jit_float_floor(e, x)), g->repeats[axis], "");

    x = jit_float_raw(e, JIT_FSUB, x, jit_floats(e, whole));
    x = not_above(e, not_below(e, x, 0), ONE);
    x = jit_float_raw(e, JIT_FMUL, x, jit_floats(e, g->size[axis]));
    number = LLVMBuildFPToSI(e->b, x, e->t.words, "");
    return jit_select(e, jit_compare(e, LLVMIntEQ, number, g->count[axis]), g->beyond[axis], number);
}

static LLVMValueRef shifted(struct jit_emitter *e, LLVMValueRef number, unsigned by, LLVMValueRef mask)
{
    return LLVMBuildAnd(e->b, LLVMBuildShl(e->b, number, jit_splat(e, by), ""), mask, "");
}

static LLVMValueRef column_place(struct jit_emitter *e, const struct jit_near *g, LLVMValueRef x)
{
    static const uint8_t by[4] = {2, 4, 6, 7};
    LLVMValueRef place = shifted(e, x, by[0], g->column[0]);

    for (unsigned n = 1; n < 4; n++)
        place = LLVMBuildOr(e->b, place, shifted(e, x, by[n], g->column[n]), "");
    return place;
}

/* What the column's place is combined with: flipped first, then added to. */
static LLVMValueRef row_place(struct jit_emitter *e, const struct jit_near *g, LLVMValueRef y, LLVMValueRef *flip_out)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef rows = LLVMBuildLShr(b, y, g->row_shift, ""), place, odd;

    rows = LLVMBuildAdd(b, rows, LLVMBuildAnd(b, rows, g->odd, ""), "");
    place = LLVMBuildOr(b, shifted(e, y, 4, g->row[0]), shifted(e, y, 6, g->row[1]), "");
    odd = LLVMBuildAShr(b, LLVMBuildShl(b, y, jit_splat(e, 26), ""), jit_splat(e, 31), ""); /* bit 5 */
    *flip_out = LLVMBuildOr(b, shifted(e, y, 6, g->flip), LLVMBuildAnd(b, odd, g->flip_odd, ""), "");
    return LLVMBuildAdd(b, place, LLVMBuildMul(b, rows, g->row_B, ""), "");
}

static LLVMValueRef texel_place(struct jit_emitter *e, const struct jit_near *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef flip, add = row_place(e, g, y, &flip);

    return LLVMBuildAdd(e->b, LLVMBuildXor(e->b, column_place(e, g, x), flip, ""), add, "");
}

/* -- what comes next ---------------------------------------------------------------------------------------------- */

/* Numbers of the batch beside this one. The quads of most make a row: it is as far as from the first to the last one,
 * and on to a next. */
static LLVMValueRef beside(struct jit_emitter *e, LLVMValueRef number)
{
    LLVMValueRef first = LLVMBuildExtractElement(e->b, number, jit_word(e, 0), "");
    LLVMValueRef second = LLVMBuildExtractElement(e->b, number, jit_word(e, 4), "");
    LLVMValueRef last = LLVMBuildExtractElement(e->b, number, jit_word(e, 12), "");
    LLVMValueRef here = LLVMBuildAdd(e->b, first, first, ""), next = LLVMBuildAdd(e->b, last, second, "");

    return LLVMBuildAdd(e->b, number, jit_spread(e, LLVMBuildSub(e->b, next, here, "")), "");
}

/* Sets those texels on their way that the next block of pixels will want, a few batches from now: hosts do not foresee
 * how tiles of textures are walked through. A guess; where it is wrong, or beyond the texture, nothing happens. Two
 * lanes of each quad are enough to meet most cache lines of what is drawn at down to a third of its size. */
static void prefetch_beside(struct jit_emitter *e, const struct jit_near *g, LLVMValueRef x, LLVMValueRef y)
{
    static const uint8_t lanes[] = {0, 3, 4, 7, 8, 11, 12, 15};
    const char *name = "llvm.prefetch";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &e->t.ptr, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &e->t.ptr, 1);
    LLVMValueRef at = texel_place(e, g, beside(e, x), beside(e, y));

    for (unsigned n = 0; n < ARRAY_SIZE(lanes); n++) {
        LLVMValueRef offset = LLVMBuildExtractElement(e->b, at, jit_word(e, lanes[n]), "");
        LLVMValueRef args[4] = {LLVMBuildGEP2(e->b, e->t.i8, g->texels, &offset, 1, ""), jit_word(e, 0), jit_word(e, 3),
                                jit_word(e, 1)}; /* to read, into all caches, data */
        LLVMBuildCall2(e->b, type, function, args, 4, "");
    }
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

bool jit_near_is_worth(const struct jit_emitter *e)
{
    unsigned requests = 0;

    for (uint32_t n = 0; n < e->program->count; n++) {
        const struct qpu_instr *i = &e->program->ops[n].instr;
        if (i->sig != QPU_SIG_BRANCH)
            requests += qpu_waddr_is_tmu_s(i->waddr_add) || qpu_waddr_is_tmu_s(i->waddr_mul);
    }
    return requests >= MIN_REQUESTS;
}

LLVMValueRef jit_near(struct jit_emitter *e, const struct jit_request *r, LLVMBasicBlockRef by_call,
                      LLVMBasicBlockRef *from_out)
{
    LLVMBuilderRef b = e->b;
    struct jit_near *g = group_with(e, r->origin[0], r->origin[1]);
    LLVMBasicBlockRef here = jit_new_block(e, "");
    LLVMValueRef good, x, y, at, texels;
    bool is_first = !g;

    if (g) {
        good = LLVMBuildAnd(b, equal(e, r->config[0], g->p0), equal(e, r->config[1], g->p1), "");
        good = LLVMBuildAnd(b, good, g->usable, "");
    } else {
        g = begin_group(e, r->config[0], r->config[1]);
        good = g->usable;
    }
    if (g->members < JIT_NEAR_MEMBERS) {
        g->s[g->members] = r->origin[0];
        g->t[g->members++] = r->origin[1];
    }
    x = texel_number(e, g, 0, r->parameter[0]);
    y = texel_number(e, g, 1, r->parameter[1]);
    at = texel_place(e, g, x, y);
    jit_branch_unlikely(e, LLVMBuildNot(b, good, ""), by_call, here);
    LLVMPositionBuilderAtEnd(b, here);
    *from_out = here;
    texels = LLVMBuildOr(b, jit_gather(e, g->texels, at), g->opaque, "");
    if (is_first)
        prefetch_beside(e, g, x, y);
    return texels;
}
