/* SPDX-License-Identifier: MIT
 *
 * Emits nearest texture lookups inline, with the same results as gpu_tmu_simd.c bit for bit, for textures that struct
 * gpu_nearest can describe.
 *
 * The texture of a request is not known at compile time, but requests with a common coordinate usually use the same
 * texture: a shader that filters in code reads neighbouring texels. Such requests form a group. The first request of a
 * group looks up the texture's description. The others compare their texture words with it and make a call if they
 * differ. As all requests share the group's values, LLVM computes the column and row offsets only once per coordinate.
 * The first request also prefetches.
 *
 * The first request of a group takes LLVM longer than a dozen other instructions of a program. In pieces of long
 * programs all requests therefore call one function of the module, which contains one such lookup.
 */
#include "model/jit/jit_emit.h"

#define MIN_REQUESTS 4u /* a program with fewer is not worth the code */

/* -- groups ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef scalar(struct jit_emitter *e, LLVMValueRef texture, size_t offset_B)
{
    return jit_load_field(e, e->t.i32, texture, offset_B);
}

static LLVMValueRef all_lanes(struct jit_emitter *e, LLVMValueRef texture, size_t offset_B)
{
    return jit_broadcast(e, scalar(e, texture, offset_B));
}

#define EACH(field, n) offsetof(struct gpu_nearest, field) + sizeof(uint32_t) * (n)

static void read_texture(struct jit_emitter *e, LLVMValueRef texture, struct jit_tex_group *g)
{
    g->usable = LLVMBuildIsNotNull(e->b, scalar(e, texture, offsetof(struct gpu_nearest, usable)), "");
    g->texels = jit_load_field(e, e->t.ptr, texture, offsetof(struct gpu_nearest, texels));
    for (unsigned n = 0; n < 2; n++) {
        g->size[n] = all_lanes(e, texture, EACH(size, n));
        g->repeats[n] = all_lanes(e, texture, EACH(repeats, n));
        g->count[n] = all_lanes(e, texture, EACH(count, n));
        g->beyond[n] = all_lanes(e, texture, EACH(beyond, n));
        g->row[n] = all_lanes(e, texture, EACH(row, n));
    }
    for (unsigned n = 0; n < 4; n++)
        g->column[n] = all_lanes(e, texture, EACH(column, n));
    g->flip = all_lanes(e, texture, offsetof(struct gpu_nearest, flip));
    g->flip_odd = all_lanes(e, texture, offsetof(struct gpu_nearest, flip_odd));
    g->row_shift = all_lanes(e, texture, offsetof(struct gpu_nearest, row_shift));
    g->odd = all_lanes(e, texture, offsetof(struct gpu_nearest, odd));
    g->row_B = all_lanes(e, texture, offsetof(struct gpu_nearest, row_B));
    g->opaque = all_lanes(e, texture, offsetof(struct gpu_nearest, opaque));
}

static LLVMValueRef equal(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, a, b, "");
}

/* Reads the description of a texture from entry `number` of core->near, after looking it up if the entry is another's.
 */
static struct jit_tex_group read_group(struct jit_emitter *e, LLVMValueRef number, LLVMValueRef p0, LLVMValueRef p1)
{
    LLVMValueRef offset = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, number, e->t.i64, ""),
                                       LLVMConstInt(e->t.i64, sizeof(struct gpu_nearest), 0), "");
    LLVMValueRef texture =
        LLVMBuildGEP2(e->b, e->t.i8, jit_field(e, e->core, offsetof(struct gpu_qpu_core, near)), &offset, 1, "");
    LLVMBasicBlockRef find = jit_new_block(e, ""), found = jit_new_block(e, "");
    LLVMValueRef same = LLVMBuildAnd(e->b, equal(e, scalar(e, texture, offsetof(struct gpu_nearest, p0)), p0),
                                     equal(e, scalar(e, texture, offsetof(struct gpu_nearest, p1)), p1), "");
    struct jit_tex_group group = {.p0 = p0, .p1 = p1};

    jit_branch_unlikely(e, LLVMBuildNot(e->b, same, ""), find, found);
    LLVMPositionBuilderAtEnd(e->b, find);
    LLVMValueRef args[4] = {e->core, number, p0, p1};
    jit_call_cold(e, offsetof(struct jit_calls, find_texture), e->t.none, args, 4);
    LLVMBuildBr(e->b, found);
    LLVMPositionBuilderAtEnd(e->b, found);
    read_texture(e, texture, &group);
    return group;
}

/* Starts a group. Its texture is cached in one of the entries of core->near, and looked up only when it changes. */
static struct jit_tex_group *begin_group(struct jit_emitter *e, LLVMValueRef p0, LLVMValueRef p1)
{
    const unsigned number = e->tex_group_count++ % GPU_NEAREST_SLOTS;
    struct jit_tex_group *g = &e->tex_group[e->next_tex_group++ % JIT_TEX_GROUPS];

    *g = read_group(e, jit_word(e, number), p0, p1);
    return g;
}

/* The latest group that has one of the coordinates. A group that already has a request with both is no match: the new
 * request must use another texture. */
static struct jit_tex_group *find_group(struct jit_emitter *e, unsigned s, unsigned t)
{
    for (unsigned back = 1; back <= MIN2(e->next_tex_group, JIT_TEX_GROUPS); back++) {
        struct jit_tex_group *g = &e->tex_group[(e->next_tex_group - back) % JIT_TEX_GROUPS];
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

/* -- texel offsets ------------------------------------------------------------------------------------------------- */

static LLVMValueRef max_of(struct jit_emitter *e, LLVMValueRef x, uint32_t bound)
{
    LLVMValueRef b = jit_floats(e, jit_splat(e, bound));

    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, x, b, ""), x, b, "");
}

static LLVMValueRef min_of(struct jit_emitter *e, LLVMValueRef x, uint32_t bound)
{
    LLVMValueRef b = jit_floats(e, jit_splat(e, bound));

    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, x, b, ""), x, b, "");
}

#define ONE   0x3f800000u
#define LIMIT 0x49800000u /* 2^20 */
#define SIGN  0x80000000u

/* Index of the column or row. Coordinates are not negative when they are converted, so truncation rounds down. */
static LLVMValueRef texel_number(struct jit_emitter *e, const struct jit_tex_group *g, unsigned axis,
                                 LLVMValueRef coordinate)
{
    LLVMValueRef x = min_of(e, max_of(e, jit_floats(e, coordinate), LIMIT | SIGN), LIMIT), number;
    LLVMValueRef whole = LLVMBuildAnd(e->b, jit_words(e, jit_float_floor(e, x)), g->repeats[axis], "");

    x = jit_float_raw(e, JIT_FSUB, x, jit_floats(e, whole));
    x = min_of(e, max_of(e, x, 0), ONE);
    x = jit_float_raw(e, JIT_FMUL, x, jit_floats(e, g->size[axis]));
    number = LLVMBuildFPToSI(e->b, x, e->t.words, "");
    return jit_select(e, jit_compare(e, LLVMIntEQ, number, g->count[axis]), g->beyond[axis], number);
}

static LLVMValueRef shifted(struct jit_emitter *e, LLVMValueRef number, unsigned by, LLVMValueRef mask)
{
    return LLVMBuildAnd(e->b, LLVMBuildShl(e->b, number, jit_splat(e, by), ""), mask, "");
}

static LLVMValueRef column_place(struct jit_emitter *e, const struct jit_tex_group *g, LLVMValueRef x)
{
    static const uint8_t by[4] = {2, 4, 6, 7};
    LLVMValueRef place = shifted(e, x, by[0], g->column[0]);

    for (unsigned n = 1; n < 4; n++)
        place = LLVMBuildOr(e->b, place, shifted(e, x, by[n], g->column[n]), "");
    return place;
}

/* The row's part of the offset: the column's part is first XORed with *flip_out, then the result is added. */
static LLVMValueRef row_place(struct jit_emitter *e, const struct jit_tex_group *g, LLVMValueRef y,
                              LLVMValueRef *flip_out)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef rows = LLVMBuildLShr(b, y, g->row_shift, ""), place, odd;

    rows = LLVMBuildAdd(b, rows, LLVMBuildAnd(b, rows, g->odd, ""), "");
    place = LLVMBuildOr(b, shifted(e, y, 4, g->row[0]), shifted(e, y, 6, g->row[1]), "");
    odd = LLVMBuildAShr(b, LLVMBuildShl(b, y, jit_splat(e, 26), ""), jit_splat(e, 31), ""); /* bit 5 */
    *flip_out = LLVMBuildOr(b, shifted(e, y, 6, g->flip), LLVMBuildAnd(b, odd, g->flip_odd, ""), "");
    return LLVMBuildAdd(b, place, LLVMBuildMul(b, rows, g->row_B, ""), "");
}

static LLVMValueRef texel_place(struct jit_emitter *e, const struct jit_tex_group *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef flip, add = row_place(e, g, y, &flip);

    return LLVMBuildAdd(e->b, LLVMBuildXor(e->b, column_place(e, g, x), flip, ""), add, "");
}

/* -- prefetch ------------------------------------------------------------------------------------------------------ */

/* Predicts the column or row indices in the next block of 16 pixels. The quads of a block mostly form a row, so the
 * next block is as far away as the last quad is from the first, plus one more step of a quad. */
static LLVMValueRef in_next_block(struct jit_emitter *e, LLVMValueRef number)
{
    LLVMValueRef first = LLVMBuildExtractElement(e->b, number, jit_word(e, 0), "");
    LLVMValueRef second = LLVMBuildExtractElement(e->b, number, jit_word(e, 4), "");
    LLVMValueRef last = LLVMBuildExtractElement(e->b, number, jit_word(e, 12), "");
    LLVMValueRef here = LLVMBuildAdd(e->b, first, first, ""), next = LLVMBuildAdd(e->b, last, second, "");

    return LLVMBuildAdd(e->b, number, jit_broadcast(e, LLVMBuildSub(e->b, next, here, "")), "");
}

/* Prefetches the texels that the next block of pixels will probably read, as hardware prefetchers do not follow tiled
 * textures. A wrong guess, even outside the texture, has no effect but lost time. Two lanes of each quad are enough to
 * touch most cache lines of textures that are minified by up to 3. */
static void prefetch_next_block(struct jit_emitter *e, const struct jit_tex_group *g, LLVMValueRef x, LLVMValueRef y)
{
    static const uint8_t lanes[] = {0, 3, 4, 7, 8, 11, 12, 15};
    const char *name = "llvm.prefetch";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &e->t.ptr, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &e->t.ptr, 1);
    LLVMValueRef at = texel_place(e, g, in_next_block(e, x), in_next_block(e, y));

    for (unsigned n = 0; n < ARRAY_SIZE(lanes); n++) {
        LLVMValueRef offset = LLVMBuildExtractElement(e->b, at, jit_word(e, lanes[n]), "");
        LLVMValueRef args[4] = {LLVMBuildGEP2(e->b, e->t.i8, g->texels, &offset, 1, ""), jit_word(e, 0), jit_word(e, 3),
                                jit_word(e, 1)}; /* read, all cache levels, data cache */
        LLVMBuildCall2(e->b, type, function, args, 4, "");
    }
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

bool jit_tex_nearest_is_worth(const struct jit_emitter *e)
{
    unsigned requests = 0;

    for (uint32_t n = 0; n < e->program->count; n++) {
        const struct qpu_instr *i = &e->program->ops[n].instr;
        if (i->sig != QPU_SIG_BRANCH)
            requests += qpu_waddr_is_tmu_s(i->waddr_add) || qpu_waddr_is_tmu_s(i->waddr_mul);
    }
    return requests >= MIN_REQUESTS;
}

LLVMValueRef jit_tex_nearest(struct jit_emitter *e, const struct jit_request *r, LLVMBasicBlockRef by_call,
                             LLVMBasicBlockRef *from_out)
{
    LLVMBuilderRef b = e->b;
    struct jit_tex_group *g = find_group(e, r->origin[0], r->origin[1]);
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
    if (g->members < JIT_TEX_GROUP_MEMBERS) {
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
        prefetch_next_block(e, g, x, y);
    return texels;
}

/* -- one function for all requests --------------------------------------------------------------------------------- */

enum { ARG_CORE, ARG_S, ARG_T, ARG_P0, ARG_P1, ARGS };

/* Stores the request to the core, for a call. No request of the program is there: host code keeps unfinished ones in
 * variables. */
static LLVMValueRef sample_stored(struct jit_emitter *e, const LLVMValueRef *args, LLVMValueRef slot)
{
    static const size_t vectors[4] = {offsetof(struct gpu_tmu_request, s), offsetof(struct gpu_tmu_request, t),
                                      offsetof(struct gpu_tmu_request, r), offsetof(struct gpu_tmu_request, b)};
    const size_t request_B = offsetof(struct gpu_qpu_core, tmu_port) + offsetof(struct gpu_tmu_port, request);
    const size_t config_B = request_B + offsetof(struct gpu_tmu_request, config);
    LLVMValueRef call_args[3] = {e->core, jit_word(e, 0), slot};

    for (unsigned n = 0; n < 4; n++) {
        LLVMValueRef value = n < 2 ? args[ARG_S + n] : jit_splat(e, 0);
        LLVMSetAlignment(LLVMBuildStore(e->b, value, jit_field(e, e->core, request_B + vectors[n])), 64);
    }
    for (unsigned n = 0; n < 2; n++)
        LLVMBuildStore(e->b, args[ARG_P0 + n], jit_field(e, e->core, config_B + 4 * n));
    jit_store_number(e, e->t.i32, 2, request_B + offsetof(struct gpu_tmu_request, configs));
    jit_call_cold(e, offsetof(struct jit_calls, sample), e->t.none, call_args, 3);
    return jit_load_vector(e, slot, 0);
}

static void emit_lookup(struct jit_emitter *e, const LLVMValueRef *args)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef slot = LLVMBuildAlloca(b, e->t.words, ""), number, at;
    LLVMBasicBlockRef inside = jit_new_block(e, ""), by_call = jit_new_block(e, "");

    LLVMSetAlignment(slot, 64);
    _Static_assert(GPU_NEAREST_SLOTS == 16, "a hash of four bits");
    number = LLVMBuildMul(b, args[ARG_P0], jit_word(e, 0x9e3779b1u), "");
    number = LLVMBuildLShr(b, number, jit_word(e, 28), "");
    const struct jit_tex_group g = read_group(e, number, args[ARG_P0], args[ARG_P1]);
    at = texel_place(e, &g, texel_number(e, &g, 0, args[ARG_S]), texel_number(e, &g, 1, args[ARG_T]));
    jit_branch_unlikely(e, LLVMBuildNot(b, g.usable, ""), by_call, inside);
    LLVMPositionBuilderAtEnd(b, inside);
    LLVMBuildRet(b, LLVMBuildOr(b, jit_gather(e, g.texels, at), g.opaque, ""));
    LLVMPositionBuilderAtEnd(b, by_call);
    LLVMBuildRet(b, sample_stored(e, args, slot));
}

/* The function clears the upper halves of registers (vzeroupper) before it calls: SSE code is slow otherwise. So it
 * must not have to preserve any. That is so with AVX-512, where those that the convention preserves have no such
 * halves. */
static LLVMValueRef make_function(struct jit_emitter *e, LLVMTypeRef type)
{
    LLVMBasicBlockRef back = jit_here(e);
    LLVMValueRef function = e->function, core = e->core, args[ARGS];

    e->function = jit_add_local(e, "nearest", type);
    if (!e->has_avx512)
        LLVMSetFunctionCallConv(e->function, LLVMCCallConv);
    LLVMGetParams(e->function, args);
    e->core = args[ARG_CORE];
    LLVMPositionBuilderAtEnd(e->b, jit_new_block(e, ""));
    emit_lookup(e, args);
    LLVMPositionBuilderAtEnd(e->b, back);
    LLVMValueRef made = e->function;
    e->function = function;
    e->core = core;
    return made;
}

LLVMValueRef jit_tex_nearest_call(struct jit_emitter *e, const struct jit_request *r)
{
    LLVMTypeRef types[ARGS] = {e->t.ptr, e->t.words, e->t.words, e->t.i32, e->t.i32};
    LLVMTypeRef type = LLVMFunctionType(e->t.words, types, ARGS, 0);
    LLVMValueRef args[ARGS] = {e->core, r->parameter[0], r->parameter[1], r->config[0], r->config[1]};

    if (!e->nearest)
        e->nearest = make_function(e, type);
    LLVMValueRef result = jit_call_local(e, e->nearest, type, args, ARGS);
    jit_check_fault(e);
    return result;
}
