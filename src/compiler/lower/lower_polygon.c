/* SPDX-License-Identifier: MIT
 *
 * Vertex programs that see the whole triangle (or line): for polygons that are drawn as lines or points, of which the
 * chip knows neither facing nor slope, for depth bias that is clamped, and for cull distances.
 *
 * The shader runs three times over, for the vertex itself and for the next and the previous corner, whose attributes
 * are fed beside its own. Of the other two only the position is wanted, and what is flat; the rest is dead code. All
 * corners come to the same results, bit for bit: they put the three positions in the triangle's order first.
 *
 * The copies have no side effects. Runs before attributes are lowered.
 */
#include "compiler/lower/lower_polygon.h"
#include "spv_gen.h"

/* ---------------------------------------------------------------- the shader, for other corners */

static void take_store(struct ir_corner *out, struct ir_instr *store)
{
    if (store->op == IR_STORE_OUTPUT)
        out->values[store->imm][store->imm2] = store->src[0].def;
    else if (store->imm == SpvBuiltInPosition)
        out->position[store->imm2] = store->src[0].def;
    ir_remove(store);
}

/* Other corners change nothing in memory, which has not changed yet: that is for the vertex itself. */
static void drop_side_effect(struct ir_shader *copy, struct ir_instr *instr)
{
    if (instr->op == IR_ENGINE_ATOMIC) {
        struct ir_builder b = ir_before(copy, instr);
        ir_replace_uses(instr, ir_build1(&b, IR_ENGINE_LOAD, instr->src[0].def));
    }
    ir_remove(instr);
}

/* Makes a copy that of the corner: its attributes, its variables, no outputs, no side effects. */
static void make_corner(struct ir_shader *copy, const struct vc4c_vertex_key *key, uint32_t which, uint32_t variables,
                        struct ir_corner *out)
{
    ir_for_each_block(block, copy) {
        ir_for_each_instr_safe(instr, block) {
            switch (instr->op) {
            case IR_LOAD_INPUT: /* instances are the same for all corners */
                instr->imm += key->trailing_mask & BIT(instr->imm) ? 0 : which * VC4C_MAX_ATTRIBUTES;
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
                take_store(out, instr);
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

/* Puts the copy's nodes in front of the shader's, whose first block becomes the end of the copy's last. */
static void put_in_front(struct ir_shader *shader, struct ir_shader *copy)
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

void ir_add_corners(struct ir_shader *shader, const struct vc4c_vertex_key *key, struct ir_corner corners[2])
{
    const uint32_t variable_count = shader->variable_count;
    const struct ir_variable *variables = shader->variables;
    struct ir_shader *copies[2];
    ir_renumber(shader);
    for (uint32_t i = 0; i < 2; i++)
        copies[i] = ir_clone(shader, shader->arena);
    for (uint32_t i = 0; i < 2; i++) {
        corners[i] = (struct ir_corner){{NULL}};
        make_corner(copies[i], key, i + 1, shader->variable_count, &corners[i]);
        add_variables(shader, variables, variable_count);
        put_in_front(shader, copies[i]);
    }
    ir_renumber(shader);
    ir_find_preds(shader);
}

/* ---------------------------------------------------------------- the triangle */

struct triangle {
    struct ir_instr *is_first, *is_second; /* which of its corners this is */
    struct ir_instr *at[3][4];             /* positions of its corners, in its order */
    struct ir_instr *x1, *y1, *x2, *y2;    /* edges from the first corner, times both ends' w */
};

/* What the triangle's corner `which` has: `own`, `next` and `previous` are this corner's view. */
static struct ir_instr *of_corner(struct ir_builder *b, const struct triangle *t, uint32_t which, struct ir_instr *own,
                                  struct ir_instr *next, struct ir_instr *previous)
{
    struct ir_instr *round[3] = {own, next, previous};
    return ir_sel(b, t->is_first, round[which],
                  ir_sel(b, t->is_second, round[(which + 2) % 3], round[(which + 1) % 3]));
}

/* By way of differences: less is lost of small triangles. */
static struct ir_instr *edge(struct ir_builder *b, const struct triangle *t, uint32_t corner, uint32_t axis)
{
    return ir_fsub(b, ir_fmul(b, t->at[corner][axis], t->at[0][3]), ir_fmul(b, t->at[0][axis], t->at[corner][3]));
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

static struct ir_instr *corner_is(struct ir_builder *b, uint32_t which)
{
    struct ir_instr *corner = ir_build0(b, IR_ATTRIBUTE);
    corner->imm2 = VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
    return ir_build2(b, IR_IEQ, corner, ir_const(b, which));
}

static void make_triangle(struct ir_builder *b, struct triangle *t, struct ir_instr *const own[4],
                          const struct ir_corner corners[2])
{
    t->is_first = corner_is(b, 0);
    t->is_second = corner_is(b, 1);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t axis = 0; axis < 4; axis++)
            t->at[i][axis] = of_corner(b, t, i, own[axis], or_zero(b, corners[0].position[axis]),
                                       or_zero(b, corners[1].position[axis]));
    t->x1 = edge(b, t, 1, 0);
    t->y1 = edge(b, t, 1, 1);
    t->x2 = edge(b, t, 2, 0);
    t->y2 = edge(b, t, 2, 1);
}

/* In homogeneous coordinates, so that corners behind the eye do no harm. Vulkan's area is positive where this is
 * negative: y falls there. */
static struct ir_instr *is_front(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct triangle *t)
{
    struct ir_instr *flip = ir_uniform(b, VC4C_UNIFORM_POLYGON, 0, VC4C_POLYGON_FLIP);
    struct ir_instr *area = cross(b, t->x1, t->y1, t->x2, t->y2);
    area = ir_fmul(b, area, ir_fmul(b, t->at[0][3], flip));
    return key->front_is_clockwise ? ir_build2(b, IR_FLT, ir_const(b, 0), area)
                                   : ir_build2(b, IR_FLT, area, ir_const(b, 0));
}

/* The greatest depth of the triangle in the window, as it is after clipping: a corner behind the eye does not count
 * (the triangle is clipped to the near plane there), and the far plane is the most. Rounded up: what is just below a
 * power of two by rounding errors counts as that power. */
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

/* m * slope + constant, clamped; m is the steepest slope of the triangle's depth in the window. */
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

/* Negative at all corners. */
static struct ir_instr *is_beyond(struct ir_builder *b, const struct ir_corner corners[2],
                                  struct ir_instr *const values[IR_MAX_LOCATIONS][4], uint32_t distance)
{
    const uint32_t location = IR_CULL_LOCATION + distance / 4, component = distance % 4;
    struct ir_instr *most = or_zero(b, values[location][component]);
    for (uint32_t i = 0; i < 2; i++)
        most = ir_build2(b, IR_FMAX, most, or_zero(b, corners[i].values[location][component]));
    return ir_build2(b, IR_FLT, most, ir_const(b, 0));
}

static struct ir_instr *or_else(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return x ? ir_build2(b, IR_BOR, x, y) : y;
}

void ir_lower_polygon(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct ir_corner corners[2],
                      struct ir_instr *const position[4], struct ir_instr *values[IR_MAX_LOCATIONS][4],
                      struct ir_polygon *out)
{
    struct triangle t;
    *out = (struct ir_polygon){NULL};
    for (uint32_t i = 0; i < 8; i++)
        if (key->cull_distances & BIT(i))
            out->is_culled = or_else(b, out->is_culled, is_beyond(b, corners, values, i));
    make_triangle(b, &t, position, corners);
    struct ir_instr *front = is_front(b, key, &t);
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        struct ir_instr **value = &values[v->location][v->component];
        if (v->location == VC4C_FACING_LOCATION)
            *value = ir_sel(b, front, ir_const(b, 1), ir_const(b, 0));
        else if (v->flat)
            *value = of_corner(b, &t, key->provoking_vertex, or_zero(b, *value),
                               or_zero(b, corners[0].values[v->location][v->component]),
                               or_zero(b, corners[1].values[v->location][v->component]));
    }
    if (key->biases_depth)
        out->bias = depth_bias(b, key, &t);
    if (key->cull_front)
        out->is_culled = or_else(b, out->is_culled, front);
    if (key->cull_back)
        out->is_culled = or_else(b, out->is_culled, ir_build1(b, IR_BNOT, front));
}
