/* SPDX-License-Identifier: MIT
 *
 * Lowers compute programs: built-ins, and a loop over the row of workgroups that a request runs (docs/cpu-engine.md).
 *
 *     for (x = WORKGROUP_FIRST; x < WORKGROUP_END; x++) {
 *         if (invocation < size of the workgroup)      (where the last subgroup is partial)
 *             the shader
 *         barrier                                      (where there is shared memory)
 *     }
 *
 * A subgroup whose invocations have all returned counts as arrived at every barrier of the others. Where a subgroup may
 * skip a barrier, the barrier at the end is a loop that repeats until all subgroups have reached it:
 *
 *     ends += 1
 *     do { arrive; all_ended = ends >= subgroups * workgroups so far; leave } while (!all_ended)
 *
 * The count is read between the two phases of the barrier, where no subgroup can change it, so all subgroups leave the
 * loop in the same iteration.
 */
#include "compiler/lower/lower.h"
#include "hw/qpu.h"
#include "spv_gen.h"

struct engine {
    struct ir_shader *shader;
    struct ir_builder b;            /* at the program's start */
    const uint32_t *size;           /* x, y, z of a workgroup */
    struct ir_instr *place;         /* of the invocation among the lanes of its workgroup */
    struct ir_instr *index;         /* LocalInvocationIndex: the same, unless invocations are ordered by quads */
    struct ir_instr *local[3], *workgroup[3];
    struct ir_if *body;
    struct ir_instr *first;         /* x of the row's first workgroup */
    struct ir_instr *end;           /* the barrier at the end; removed when it is not needed */
};

static uint32_t invocations(const struct ir_shader *shader)
{
    return shader->local_size[0] * shader->local_size[1] * shader->local_size[2];
}

/* x / d for x below 2^10 and d up to 2^10. With m = 2^20 / d, rounded up, m d - 2^20 is below d, so m x / 2^20 exceeds
 * x / d by less than x / 2^20, which is less than 1 / d. */
static struct ir_instr *divide(struct ir_builder *b, struct ir_instr *x, uint32_t d)
{
    if (d == 1)
        return x;
    if (util_is_pow2(d))
        return ir_build2(b, IR_SHR, x, ir_const(b, util_log2(d)));
    return ir_build2(b, IR_SHR, ir_build2(b, IR_MUL24, x, ir_const(b, 0xfffffu / d + 1)), ir_const(b, 20));
}

static struct ir_instr *modulo(struct ir_builder *b, struct ir_instr *x, uint32_t d)
{
    if (util_is_pow2(d))
        return ir_build2(b, IR_AND, x, ir_const(b, d - 1));
    return ir_build2(b, IR_ISUB, x, ir_build2(b, IR_MUL24, divide(b, x, d), ir_const(b, d)));
}

/* x and y are those of the quad, times two, and of the lane in it. */
static void order_by_quads(struct engine *e)
{
    struct ir_builder *b = &e->b;
    const uint32_t columns = e->size[0] / 2, rows = e->size[1] / 2;
    struct ir_instr *one = ir_const(b, 1), *quad = ir_build2(b, IR_SHR, e->place, ir_const(b, 2));
    struct ir_instr *row = divide(b, quad, columns);
    struct ir_instr *first[2] = {ir_build2(b, IR_SHL, modulo(b, quad, columns), one),
                                 ir_build2(b, IR_SHL, modulo(b, row, rows), one)};
    struct ir_instr *lane_y = ir_build2(b, IR_AND, ir_build2(b, IR_SHR, e->place, one), one);
    e->local[0] = ir_build2(b, IR_OR, first[0], ir_build2(b, IR_AND, e->place, one));
    e->local[1] = ir_build2(b, IR_OR, first[1], lane_y);
    e->local[2] = divide(b, row, rows);
    struct ir_instr *above =
        ir_build2(b, IR_IADD, ir_build2(b, IR_MUL24, e->local[2], ir_const(b, e->size[1])), e->local[1]);
    e->index = ir_build2(b, IR_IADD, ir_build2(b, IR_MUL24, above, ir_const(b, e->size[0])), e->local[0]);
}

static void find_invocation(struct engine *e)
{
    struct ir_builder *b = &e->b;
    struct ir_instr *element = ir_build0(b, IR_ELEMENT);
    e->place = element;
    if (invocations(e->shader) > QPU_LANES) {
        struct ir_instr *first = ir_build2(b, IR_SHL, ir_uniform(b, VC4C_UNIFORM_SUBGROUP, 0, 0), ir_const(b, 4));
        e->place = ir_build2(b, IR_IADD, first, element);
    }
    e->index = e->place;
    if (e->shader->is_ordered_by_quads) {
        order_by_quads(e);
        return;
    }
    struct ir_instr *rest = divide(b, e->index, e->size[0]);
    e->local[0] = e->size[1] * e->size[2] == 1 ? e->index : modulo(b, e->index, e->size[0]);
    e->local[1] = e->size[2] == 1 ? rest : modulo(b, rest, e->size[1]);
    e->local[2] = divide(b, rest, e->size[1]);
}

/* ---------------------------------------------------------------- built-ins */

static struct ir_instr *builtin(struct engine *e, struct ir_builder *b, const struct ir_instr *load)
{
    uint32_t c = MIN2(load->imm2, 2u);
    switch (load->imm) {
    case SpvBuiltInNumWorkgroups:
        return ir_uniform(b, VC4C_UNIFORM_WORKGROUP_COUNT, 0, c);
    case SpvBuiltInWorkgroupId:
        return e->workgroup[c];
    case SpvBuiltInWorkgroupSize:
        return ir_const(b, e->size[c]);
    case SpvBuiltInLocalInvocationId:
        return e->local[c];
    case SpvBuiltInGlobalInvocationId: /* at most 65,535 workgroups a side */
        return ir_build2(b, IR_IADD, ir_build2(b, IR_MUL24, e->workgroup[c], ir_const(b, e->size[c])), e->local[c]);
    case SpvBuiltInLocalInvocationIndex:
        return e->index;
    case SpvBuiltInSubgroupId:
        return ir_uniform(b, VC4C_UNIFORM_SUBGROUP, 0, 0);
    case SpvBuiltInNumSubgroups:
        return ir_const(b, util_div_round_up(invocations(e->shader), QPU_LANES));
    default:
        return ir_subgroup_builtin(b, load);
    }
}

static enum vc4c_result lower_builtins(struct engine *e, struct vc4c_error *error)
{
    ir_for_each_block(block, e->shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op != IR_LOAD_BUILTIN)
                continue;
            struct ir_builder b = ir_before(e->shader, instr);
            struct ir_instr *value = builtin(e, &b, instr);
            if (!value)
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u is not supported in compute shaders",
                                      instr->imm);
            ir_replace_uses(instr, value);
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}

/* ---------------------------------------------------------------- the loop */

/* Moves all nodes from one list to another, whose previous nodes are dropped. */
static void move_list(struct util_list *from, struct util_list *to, struct ir_node *parent)
{
    util_list_init(to);
    while (!util_list_is_empty(from)) {
        struct ir_node *node = util_list_first(from, struct ir_node, link);
        util_list_del(&node->link);
        util_list_add_tail(to, &node->link);
        node->list = to;
        node->parent = parent;
    }
}

static void add_workgroup_loop(struct engine *e)
{
    struct ir_shader *shader = e->shader;
    struct util_list shader_nodes;
    move_list(&shader->body, &shader_nodes, NULL);
    e->b = ir_at_end(shader, ir_block_create(shader, &shader->body, NULL));
    find_invocation(e);
    struct ir_instr *first = ir_uniform(&e->b, VC4C_UNIFORM_WORKGROUP_FIRST, 0, 0);

    struct ir_builder b = e->b;
    struct ir_loop *loop = ir_push_loop(&b);
    struct ir_instr *x = ir_build(&b, IR_PHI, 32, 2, NULL);
    struct ir_if *leave =
        ir_push_if(&b, ir_build2(&b, IR_UGE, x, ir_uniform(&b, VC4C_UNIFORM_WORKGROUP_END, 0, 0)));
    ir_build0(&b, IR_BREAK);
    ir_pop_if(&b, leave);
    e->workgroup[0] = x;
    e->workgroup[1] = ir_uniform(&b, VC4C_UNIFORM_WORKGROUP_Y, 0, 0);
    e->workgroup[2] = ir_uniform(&b, VC4C_UNIFORM_WORKGROUP_Z, 0, 0);

    struct ir_instr *runs = ir_const_bool(&b, true);
    if (invocations(shader) % QPU_LANES)
        runs = ir_build2(&b, IR_ULT, e->place, ir_const(&b, invocations(shader)));
    if (shader->writes_records && !vc4c_is_mesh_stage(shader->records_stage)) { /* of those all workgroups are whole */
        struct ir_instr *before = ir_build2(&b, IR_MUL24, x, ir_const(&b, invocations(shader)));
        struct ir_instr *has_record = ir_build2(&b, IR_ULT, ir_build2(&b, IR_IADD, before, e->place),
                                                ir_uniform(&b, VC4C_UNIFORM_RECORDS, 0, VC4C_RECORDS_COUNT));
        runs = ir_build2(&b, IR_BAND, runs, has_record);
    }
    struct ir_if *body = ir_push_if(&b, runs);
    move_list(&shader_nodes, &body->then_list, &body->node);
    ir_pop_if(&b, body);
    e->body = body;
    e->first = first;
    e->end = ir_build0(&b, IR_BARRIER);
    ir_src_set(&x->src[0], first);
    ir_src_set(&x->src[1], ir_build2(&b, IR_IADD, x, ir_const(&b, 1)));
    ir_pop_loop(&b, loop);
}

/* ---------------------------------------------------------------- the end of a workgroup */

/* All lanes run this code; only lane 0 increments the count. */
static void wait_for_all_subgroups(struct engine *e, struct ir_builder *b)
{
    const uint32_t subgroups = util_div_round_up(invocations(e->shader), QPU_LANES);
    struct ir_instr *shared = ir_uniform(b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0);
    struct ir_instr *ends = ir_build2(b, IR_IADD, shared, ir_const(b, e->shader->shared_B));
    struct ir_instr *is_one = ir_build2(b, IR_IEQ, ir_build0(b, IR_ELEMENT), ir_const(b, 0)), *one = ir_const(b, 1);
    struct ir_instr *place = ir_sel(b, is_one, ends, ir_const(b, VC4C_ENGINE_NULL));
    ir_build3(b, IR_ENGINE_ATOMIC, place, one, one)->imm = VC4C_SITE_ATOMIC_ADD;
    struct ir_instr *so_far = ir_build2(b, IR_IADD, ir_build2(b, IR_ISUB, e->workgroup[0], e->first), ir_const(b, 1));
    struct ir_instr *wanted = ir_build2(b, IR_MUL24, so_far, ir_const(b, subgroups));

    ir_split_block(b);
    struct ir_loop *loop = ir_push_loop(b);
    ir_build0(b, IR_BARRIER_ARRIVE);
    struct ir_instr *count = ir_build1(b, IR_ENGINE_LOAD, ends);
    ir_build0(b, IR_BARRIER_LEAVE);
    struct ir_if *leave = ir_push_if(b, ir_build2(b, IR_UGE, count, wanted));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, leave);
    ir_pop_loop(b, loop);
    ir_join_after(b, &loop->node);
    e->shader->counts_finished = true;
}

static void end_workgroup(struct engine *e)
{
    struct ir_builder b = ir_before(e->shader, e->end);
    ir_analyse_workgroup_divergence(e->shader);
    const bool counts = invocations(e->shader) > QPU_LANES && ir_barriers_diverge(&e->body->then_list);
    if (counts)
        wait_for_all_subgroups(e, &b);
    if (counts || !e->shader->shared_B)
        ir_remove(e->end);
}

enum vc4c_result ir_lower_engine(struct ir_shader *shader, struct vc4c_error *error)
{
    struct engine e = {.shader = shader, .size = shader->local_size};
    add_workgroup_loop(&e);
    enum vc4c_result result = lower_builtins(&e, error);
    if (!result)
        end_workgroup(&e);
    return result;
}

bool ir_needs_engine(struct ir_shader *shader)
{
    const bool is_vertex = shader->kind == VC4C_PROGRAM_VERTEX || shader->kind == VC4C_PROGRAM_COORDINATE;
    if (is_vertex && ir_depends_on_lanes(shader))
        return true;
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_ENGINE_STORE || instr->op == IR_ENGINE_ATOMIC || instr->op == IR_ENGINE_LOAD ||
                instr->op == IR_ENGINE_FETCH || instr->op == IR_SCRATCH_LOAD || instr->op == IR_SCRATCH_STORE)
                return true;
    return false;
}
