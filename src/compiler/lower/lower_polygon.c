/* SPDX-License-Identifier: MIT
 *
 * Vertex programs that read the whole triangle (or line). They are needed for polygons drawn as lines or points, whose
 * facing and slope the chip does not know, for clamped depth bias, and for cull distances.
 *
 * The program contains the shader three times: for the vertex itself, and for the next and the previous vertex of the
 * triangle, whose attributes are fetched beside its own. Of the other two only the position and the flat outputs are
 * used; everything else is dead code. The three invocations of a triangle compute the same results, bit for bit,
 * because each first puts the three positions into the triangle's order.
 *
 * The copies have no side effects. Runs before attributes are lowered.
 */
#include "compiler/lower/lower_polygon.h"
#include "spv_gen.h"

/* ---------------------------------------------------------------- the shader, for the other vertices */

static void record_output(struct ir_other_vertex *out, struct ir_instr *store)
{
    if (store->op == IR_STORE_OUTPUT)
        out->values[store->imm][store->imm2] = store->src[0].def;
    else if (store->imm == SpvBuiltInPosition)
        out->position[store->imm2] = store->src[0].def;
    ir_remove(store);
}

/* Only the code for the vertex itself changes memory. The copies run before it, so an atomic becomes a load. */
static void drop_side_effect(struct ir_shader *copy, struct ir_instr *instr)
{
    if (instr->op == IR_ENGINE_ATOMIC) {
        struct ir_builder b = ir_before(copy, instr);
        ir_replace_uses(instr, ir_build1(&b, IR_ENGINE_LOAD, instr->src[0].def));
    }
    ir_remove(instr);
}

/* Converts a copy of the shader to another vertex: its own attributes and variables, no outputs, no side effects. */
static void convert_copy(struct ir_shader *copy, const struct vc4c_vertex_key *key, uint32_t which, uint32_t variables,
                         struct ir_other_vertex *out)
{
    ir_for_each_block(block, copy) {
        ir_for_each_instr_safe(instr, block) {
            switch (instr->op) {
            case IR_LOAD_INPUT: /* per-instance attributes are the same for all three */
                if (instr->imm < VC4C_MAX_ATTRIBUTES && !ir_is_trailing(key, instr->imm))
                    instr->imm += which * VC4C_MAX_ATTRIBUTES;
                break;
            case IR_LOAD_BUILTIN:
                instr->imm2 = instr->imm == SpvBuiltInVertexIndex ? which : instr->imm2;
                break;
            case IR_LOAD_VAR:
            case IR_STORE_VAR:
                instr->imm += variables;
                break;
            case IR_STORE_OUTPUT:
            case IR_STORE_BUILTIN:
                record_output(out, instr);
                break;
            case IR_ENGINE_STORE:
            case IR_ENGINE_ATOMIC:
                drop_side_effect(copy, instr);
                break;
            default:
                break;
            }
        }
    }
}

/* Puts the copy's nodes in front of the shader's. The shader's first block is appended to the copy's last one. */
static void prepend_nodes(struct ir_shader *shader, struct ir_shader *copy)
{
    struct ir_block *end = ir_list_last(&copy->body), *begin = ir_list_first(&shader->body);
    util_list_for_each(struct ir_node, node, &copy->body, link)
        node->list = &shader->body;
    util_list_for_each(struct ir_instr, instr, &begin->instrs, link)
        instr->block = end;
    util_list_splice_tail(&end->instrs, &begin->instrs);
    util_list_del(&begin->node.link);
    util_list_splice_tail(&copy->body, &shader->body);
    util_list_init(&shader->body);
    util_list_splice_tail(&shader->body, &copy->body);
}

static void add_variables(struct ir_shader *shader, const struct ir_variable *variables, uint32_t count)
{
    struct ir_variable *more =
        util_arena_new_array(shader->arena, struct ir_variable, shader->variable_count + count + 1);
    for (uint32_t i = 0; i < shader->variable_count; i++)
        more[i] = shader->variables[i];
    for (uint32_t i = 0; i < count; i++)
        more[shader->variable_count + i] = variables[i];
    shader->variables = more;
    shader->variable_capacity = shader->variable_count += count;
}

void ir_add_other_vertices(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                           struct ir_other_vertex others[2])
{
    const uint32_t variable_count = shader->variable_count;
    const struct ir_variable *variables = shader->variables;
    struct ir_shader *copies[2];
    ir_renumber(shader);
    for (uint32_t i = 0; i < 2; i++)
        copies[i] = ir_clone(shader, shader->arena);
    for (uint32_t i = 0; i < 2; i++) {
        others[i] = (struct ir_other_vertex){{NULL}};
        convert_copy(copies[i], key, i + 1, shader->variable_count, &others[i]);
        add_variables(shader, variables, variable_count);
        prepend_nodes(shader, copies[i]);
    }
    ir_renumber(shader);
    ir_find_preds(shader);
}

/* ---------------------------------------------------------------- the triangle */

struct triangle {
    struct ir_instr *is_first, *is_second; /* which of its vertices this is; neither: the third */
    struct ir_instr *at[3][4];             /* positions of its vertices, in its order */
    struct ir_instr *x1, *y1, *x2, *y2;    /* edges from the first vertex, times the w of both ends */
};

/* The value at vertex `which` of the triangle. `own`, `next` and `previous` are relative to this vertex. */
static struct ir_instr *value_at(struct ir_builder *b, const struct triangle *t, uint32_t which, struct ir_instr *own,
                                 struct ir_instr *next, struct ir_instr *previous)
{
    struct ir_instr *round[3] = {own, next, previous};
    return ir_sel(b, t->is_first, round[which],
                  ir_sel(b, t->is_second, round[(which + 2) % 3], round[(which + 1) % 3]));
}

/* Computed from differences, which loses less precision for small triangles. */
static struct ir_instr *edge(struct ir_builder *b, const struct triangle *t, uint32_t vertex, uint32_t axis)
{
    return ir_fsub(b, ir_fmul(b, t->at[vertex][axis], t->at[0][3]), ir_fmul(b, t->at[0][axis], t->at[vertex][3]));
}

static struct ir_instr *cross(struct ir_builder *b, struct ir_instr *x1, struct ir_instr *y1, struct ir_instr *x2,
                              struct ir_instr *y2)
{
    return ir_fsub(b, ir_fmul(b, x1, y2), ir_fmul(b, x2, y1));
}

static struct ir_instr *or_zero(struct ir_builder *b, struct ir_instr *value)
{
    return value && value->op != IR_UNDEF ? value : ir_const(b, 0);
}

static bool has_stipple(const struct vc4c_vertex_key *key)
{
    for (uint32_t i = 0; i < key->output_count; i++)
        if (key->outputs[i].location == VC4C_STIPPLE_LOCATION)
            return true;
    return false;
}

static struct ir_instr *is_vertex_number(struct ir_builder *b, const struct vc4c_vertex_key *key, uint32_t which)
{
    struct ir_instr *vertex = ir_build0(b, IR_ATTRIBUTE);
    vertex->imm2 = VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
    if (key->rectangles || has_stipple(key))
        vertex = ir_build2(b, IR_AND, vertex, ir_const(b, VC4C_RECTANGLE_VERTEX));
    return ir_build2(b, IR_IEQ, vertex, ir_const(b, which));
}

/* With z from 0 to w. */
static void make_triangle(struct ir_builder *b, const struct vc4c_vertex_key *key, struct triangle *t,
                          struct ir_instr *const own[4], const struct ir_other_vertex others[2])
{
    t->is_first = is_vertex_number(b, key, 0);
    t->is_second = is_vertex_number(b, key, 1);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t axis = 0; axis < 4; axis++)
            t->at[i][axis] = value_at(b, t, i, own[axis], or_zero(b, others[0].position[axis]),
                                      or_zero(b, others[1].position[axis]));
    for (uint32_t i = 0; i < 3 && key->symmetric_depth; i++)
        t->at[i][2] = ir_fmul(b, ir_fadd(b, t->at[i][2], t->at[i][3]), ir_const_f(b, 0.5f));
    t->x1 = edge(b, t, 1, 0);
    t->y1 = edge(b, t, 1, 1);
    t->x2 = edge(b, t, 2, 0);
    t->y2 = edge(b, t, 2, 1);
}

/* The area is computed in homogeneous coordinates, so that vertices behind the eye do no harm. Its sign is opposite to
 * that of Vulkan's area, because y points the other way. */
static struct ir_instr *is_front(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct triangle *t)
{
    struct ir_instr *flip = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_FLIP);
    struct ir_instr *area = cross(b, t->x1, t->y1, t->x2, t->y2);
    area = ir_fmul(b, area, ir_fmul(b, t->at[0][3], flip));
    return key->front_is_clockwise ? ir_build2(b, IR_FLT, ir_const(b, 0), area)
                                   : ir_build2(b, IR_FLT, area, ir_const(b, 0));
}

/* The greatest window depth of the triangle after clipping. A vertex behind the eye does not count, because the
 * triangle is clipped to the near plane there, and the far plane is the maximum. Rounded up, so that a depth that is
 * just below a power of two due to rounding errors counts as that power. */
static struct ir_instr *greatest_depth(struct ir_builder *b, const struct triangle *t)
{
    struct ir_instr *scale = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0),
                    *offset = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0), *most = ir_const(b, 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_instr *z = t->at[i][2], *w = t->at[i][3];
        struct ir_instr *between = ir_fmul(b, ir_fsub(b, ir_fadd(b, z, z), w), ir_build1(b, IR_FRCP, w));
        struct ir_instr *depth = ir_fadd(b, ir_fmul(b, between, scale), offset);
        struct ir_instr *is_ahead = ir_build2(b, IR_FLT, ir_const(b, 0), w);
        most = ir_sel(b, is_ahead, ir_build2(b, IR_FMAX, most, depth), most);
    }
    most = ir_build2(b, IR_FMIN, most, ir_fadd(b, offset, ir_build2(b, IR_FMAXABS, scale, scale)));
    return ir_fmul(b, most, ir_const_f(b, 1 + 1.0f / 65536));
}

/* The constant term of the depth bias. The unit of a float format is 2^(e - 23), where e is the exponent of the
 * triangle's greatest depth; `from_half` is the term for e = -1, depths from 0.5 to 1. */
static struct ir_instr *constant_bias(struct ir_builder *b, const struct vc4c_vertex_key *key,
                                      const struct triangle *t, struct ir_instr *from_half)
{
    if (!key->bias_steps_by_depth)
        return from_half;
    struct ir_instr *power = ir_build2(b, IR_AND, greatest_depth(b, t), ir_const(b, 0x7f800000));
    return ir_fmul(b, ir_fadd(b, power, power), from_half);
}

/* m * slope + constant, clamped; m is the maximum slope of the triangle's window depth. */
static struct ir_instr *depth_bias(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct triangle *t)
{
    struct ir_instr *z1 = edge(b, t, 1, 2), *z2 = edge(b, t, 2, 2), *word[VC4C_POLYGON_WORDS];
    for (uint32_t i = 0; i < VC4C_POLYGON_WORDS; i++)
        word[i] = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, i);
    struct ir_instr *over_area = ir_build1(b, IR_FRCP, cross(b, t->x1, t->y1, t->x2, t->y2));
    struct ir_instr *dx = ir_fmul(b, cross(b, z1, t->y1, z2, t->y2), over_area);
    struct ir_instr *dy = ir_fmul(b, cross(b, t->x1, z1, t->x2, z2), over_area);
    struct ir_instr *m =
        ir_build2(b, IR_FMAXABS, ir_fmul(b, dx, word[VC4C_POLYGON_PER_X]), ir_fmul(b, dy, word[VC4C_POLYGON_PER_Y]));
    struct ir_instr *bias = ir_fadd(b, ir_fmul(b, m, word[VC4C_POLYGON_BIAS_SLOPE]),
                                    constant_bias(b, key, t, word[VC4C_POLYGON_BIAS_CONSTANT]));
    bias = ir_build2(b, IR_FMAX, bias, word[VC4C_POLYGON_BIAS_MIN]);
    return ir_build2(b, IR_FMIN, bias, word[VC4C_POLYGON_BIAS_MAX]);
}

/* True where the cull distance is negative at all vertices. */
static struct ir_instr *is_culled_by_distance(struct ir_builder *b, const struct ir_other_vertex others[2],
                                              struct ir_instr *const values[IR_MAX_LOCATIONS][4], uint32_t distance)
{
    const uint32_t location = IR_CULL_LOCATION + distance / 4, component = distance % 4;
    struct ir_instr *most = or_zero(b, values[location][component]);
    for (uint32_t i = 0; i < 2; i++)
        most = ir_build2(b, IR_FMAX, most, or_zero(b, others[i].values[location][component]));
    return ir_build2(b, IR_FLT, most, ir_const(b, 0));
}

static struct ir_instr *is_line_end(struct ir_builder *b)
{
    struct ir_instr *number = ir_build0(b, IR_ATTRIBUTE);
    number->imm2 = VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
    return ir_build2(b, IR_INE, ir_build2(b, IR_AND, number, ir_const(b, VC4C_RECTANGLE_END)), ir_const(b, 0));
}

static struct ir_instr *or_else(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return x ? ir_build2(b, IR_BOR, x, y) : y;
}

void ir_lower_polygon(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct ir_other_vertex others[2],
                      struct ir_instr *const position[4], struct ir_instr *values[IR_MAX_LOCATIONS][4],
                      struct ir_polygon *out)
{
    struct triangle t;
    *out = (struct ir_polygon){NULL};
    for (uint32_t i = 0; i < 8; i++)
        if (key->cull_distances & BIT(i))
            out->is_culled = or_else(b, out->is_culled, is_culled_by_distance(b, others, values, i));
    make_triangle(b, key, &t, position, others);
    struct ir_instr *front = is_front(b, key, &t);
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        struct ir_instr **value = &values[v->location][v->component];
        if (v->location == VC4C_STIPPLE_LOCATION) /* each vertex has those of the line that it begins */
            *value =
                ir_sel(b, is_line_end(b), or_zero(b, others[1].values[v->location][v->component]), or_zero(b, *value));
        else if (v->location == VC4C_FACING_LOCATION)
            *value = ir_sel(b, front, ir_const(b, 1), ir_const(b, 0));
        else if (v->flat)
            *value = value_at(b, &t, key->provoking_vertex, or_zero(b, *value),
                              or_zero(b, others[0].values[v->location][v->component]),
                              or_zero(b, others[1].values[v->location][v->component]));
    }
    if (key->biases_depth)
        out->bias = depth_bias(b, key, &t);
    if (key->cull_front)
        out->is_culled = or_else(b, out->is_culled, front);
    if (key->cull_back)
        out->is_culled = or_else(b, out->is_culled, ir_build1(b, IR_BNOT, front));
}
