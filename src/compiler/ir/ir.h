/* SPDX-License-Identifier: MIT
 *
 * The IR: scalar SSA with structured control flow. Every value is a 32-bit word or a boolean, one per lane.
 *
 * A function body is a list of control-flow nodes: blocks of instructions, ifs and loops. A list begins and ends with a
 * block, and any two other nodes have a block between them. A value dominates its uses. Values that merge after an if
 * or in a loop merge in phis. These stand at the head of the block after the if or loop, or of the loop's first block.
 *
 *     if      predecessors of the block after it: end of the then list, end of the else list (each only if it does
 *             not jump)
 *     loop    its body repeats until a BREAK. Predecessors of its first block: the block before the loop, then every
 *             CONTINUE in order, then the end of the body (if it does not jump). Predecessors of the block after the
 *             loop: every BREAK in order.
 *
 * Divergence: each lane takes its own path through the control flow. The back end keeps an execution mask where a
 * condition may differ between lanes (`divergent` of the condition of an if or of a break), and branches elsewhere.
 */
#ifndef IR_IR_H
#define IR_IR_H

#include <stdio.h>
#include "compiler/ir/ir_ops.h"
#include "compiler/vc4c.h"
#include "util/arena.h"
#include "util/list.h"

struct ir_block;

struct ir_value {
    struct util_list uses;    /* of struct ir_src */
    uint32_t index;           /* below shader->value_count; every instruction has one, dense after ir_renumber */
    uint8_t bits;             /* 32 or 1; 0 = the instruction has no result */
    bool divergent;           /* may differ between lanes; filled by ir_analyse_divergence */
};

struct ir_src {
    struct util_list link;    /* in value->uses */
    struct ir_instr *user;    /* NULL when an if uses it */
    struct ir_instr *def;     /* the instruction whose value is read */
};

/* Parameters of IR_TEX: sources are s, t [, r] [, b] in this order. */
struct ir_tex {
    uint16_t texture;         /* index in shader->textures */
    uint8_t has_r, has_b;     /* r: cube coordinate or border word; b: bias or explicit LOD */
    uint8_t param_count;      /* 2 to 4 = number of sources */
    struct vc4c_uniform p[4]; /* config words in write order, which is: [r], t, [b], s */
};

/* A texture instruction of the shader before lowering: IR_SAMPLE. Its sources are listed at coord_count. */
enum ir_sample_dim { IR_DIM_1D = VC4C_DIM_1D, IR_DIM_2D = VC4C_DIM_2D, IR_DIM_3D = VC4C_DIM_3D,
                     IR_DIM_CUBE = VC4C_DIM_CUBE, IR_DIM_BUFFER = VC4C_DIM_BUFFER, IR_DIM_SUBPASS = VC4C_DIM_SUBPASS };
enum ir_sample_kind { IR_SAMPLE_IMPLICIT, IR_SAMPLE_EXPLICIT_LOD, IR_SAMPLE_GRAD, IR_SAMPLE_FETCH, IR_SAMPLE_GATHER,
                      IR_SAMPLE_QUERY_SIZE, IR_SAMPLE_QUERY_LEVELS, IR_SAMPLE_QUERY_LOD, IR_SAMPLE_QUERY_SAMPLES };
struct ir_sample {
    uint16_t texture;         /* index in shader->textures */
    uint8_t dim, kind;        /* enum ir_sample_dim, ir_sample_kind */
    uint8_t is_array, shadow, projected, multisampled;
    uint8_t integer;          /* result type: 0 float, 1 signed, 2 unsigned */
    uint8_t relaxed;          /* RelaxedPrecision */
    uint8_t gather_component;
    int8_t offset[3];         /* in texels, when the offset is constant */
    /* Sources: coord_count coordinates (with layer), then [projector], [dref], [bias or lod], [ddx.., ddy..], [offset
     * of each axis], [sample index], [least lod]. */
    uint8_t coord_count, has_bias, has_lod, has_offset, has_min_lod;
};

/* imm2 of IR_LOAD_BUFFER: the program uses a part of the word and checks the part itself. Not a possible position in an
 * access: the first half would be beyond the second. */
#define IR_LOAD_OF_PART 0xffffu

struct ir_instr {
    struct util_list link;    /* in block->instrs */
    struct ir_block *block;
    uint16_t op;              /* enum ir_op */
    uint8_t src_count;
    uint8_t relaxed : 1;      /* RelaxedPrecision: unrefined SFU results are precise enough */
    uint8_t exact : 1;        /* NoContraction */
    struct ir_value value;
    uint32_t imm, imm2;       /* immediates; ir_ops.h says what they mean per op */
    union {
        struct vc4c_uniform uniform; /* IR_UNIFORM */
        struct ir_tex tex;           /* IR_TEX */
        struct ir_sample sample;     /* IR_SAMPLE */
    };
    uint32_t spirv_offset;    /* words into the module, 0 = unknown; for messages and tools */
    struct ir_src src[];
};

enum ir_node_kind { IR_NODE_BLOCK, IR_NODE_IF, IR_NODE_LOOP };

struct ir_node {
    struct util_list link;    /* in `list` */
    struct util_list *list;   /* head of the list that holds the node */
    struct ir_node *parent;   /* the if or loop around it, NULL at the top */
    uint8_t kind;             /* enum ir_node_kind */
};

struct ir_block {
    struct ir_node node;
    struct util_list instrs;  /* of ir_instr; phis first; a jump last */
    uint32_t index;           /* in program order, after ir_renumber */
    struct ir_block **preds;  /* filled by ir_find_preds, in the order that phis use; stale after control flow
                               * changes */
    uint32_t pred_count;
};

struct ir_if {
    struct ir_node node;
    struct ir_src cond;       /* bool; user == NULL */
    struct util_list then_list, else_list; /* of ir_node */
};

struct ir_loop {
    struct ir_node node;
    struct util_list body;    /* of ir_node */
    bool rolled;              /* is not unrolled: it stands in place of repeated code */
};

/* A table of constants that the program indexes. */
struct ir_table {
    const uint32_t *words;
    uint32_t count; /* at least 1 */
    uint64_t hash;  /* of the words */
};
#define IR_MAX_TABLES      1024u
#define IR_MAX_TABLE_WORDS VC4C_MAX_TABLE_WORDS /* of all tables together */

#define IR_USER_LOCATIONS 32
#define IR_CLIP_LOCATION  IR_USER_LOCATIONS /* eight clip distances, after the locations that shaders can name */
#define IR_CULL_LOCATION  (VC4C_LINE_LOCATION + 1) /* eight cull distances */
#define IR_MAX_LOCATIONS  (VC4C_STIPPLE_LOCATION + 1)
/* STORE_RECORD of values that are no words of the record: the word before it, and the number of emitted vertices; of
 * tessellation control, task and mesh shaders: of a word at address s0. */
#define IR_RECORD_CONTROL VC4C_RECORD_WORDS
#define IR_RECORD_COUNT   (VC4C_RECORD_WORDS + 1u)
#define IR_RECORD_ADDRESS (VC4C_RECORD_WORDS + 2u)
#define IR_DUAL_SOURCE_LOCATION  (IR_USER_LOCATIONS - 1) /* fragment: the output with location 0, index 1 (dual-source
                                                   * blending) */
_Static_assert(VC4C_FACING_LOCATION == IR_CLIP_LOCATION + 2, "behind the clip distances");
_Static_assert(VC4C_STIPPLE_LOCATION == IR_CULL_LOCATION + 2, "behind the cull distances");

struct ir_shader {
    struct util_arena *arena; /* holds everything of the shader */
    enum vc4c_program_kind kind;
    struct util_list body;    /* of ir_node */
    uint32_t value_count;     /* bound of value.index */
    uint32_t block_count;
    struct vc4c_texture_ref textures[VC4C_MAX_TEXTURES];
    uint32_t texture_count;
    struct vc4c_buffer_ref buffers[VC4C_MAX_BUFFERS];
    uint32_t buffer_count;
    struct vc4c_resource resources[VC4C_MAX_RESOURCES]; /* descriptor bindings that the entry point uses */
    uint32_t resource_count;
    struct vc4c_varying inputs[VC4C_MAX_SLOTS]; /* fragment: indexed by the slot of IR_VARYING */
    uint32_t input_count;
    uint8_t primitive;        /* fragment: enum vc4c_primitive */
    struct vc4c_attribute attributes[VC4C_MAX_ARRAYS]; /* vertex: filled by ir_lower_attributes */
    uint32_t attribute_count, attribute_size_B, spill_stride_B;
    bool needs_triangle;       /* vertex kinds: as in struct vc4c_program */
    bool writes_z_late, reads_color;
    bool early_fragment_tests;
    bool post_depth_coverage; /* fragment, with early tests: they come before the program reads its coverage */
    bool orders_pixels; /* fragment kind: as in struct vc4c_interface */
    bool depth_is_input;      /* fragment: VC4C_DEPTH_LOCATION is an input */
    bool clamps_depth;        /* fragment: as in struct vc4c_entry */
    bool two_stencils;        /* fragment: as in struct vc4c_entry */
    uint8_t targets;          /* the same */
    bool is_smooth;           /* the same */
    uint8_t stipples;         /* the same */
    uint8_t robustness;       /* VC4C_ROBUST_* */
    bool lowered;             /* no high-level operation is left, and none may be built any more */
    bool is_engine;           /* compiled for the CPU engine */
    bool pops_varyings;       /* fragment: uses IR_POP_VARYING instead of IR_VARYING */
    uint32_t vertex_results_B;     /* vertex kinds: as in struct vc4c_program */
    bool uses_addresses;           /* accesses memory through 64-bit addresses */
    bool uses_set_memory;          /* reads descriptors in memory of sets */
    uint32_t local_size[3];   /* compute */
    bool has_quads;           /* lanes 4n to 4n + 3 are a quad with derivatives: always in fragment programs */
    bool is_ordered_by_quads; /* compute: the lanes of a quad are 2 x 2 invocations, else four that follow each other */
    bool writes_records;      /* compute: the stage is another one, whose inputs and outputs are records */
    enum vc4c_stage records_stage; /* which one */
    struct vc4c_geometry geometry;
    struct vc4c_tessellation tessellation;
    struct vc4c_mesh mesh;
    uint32_t mesh_words[VC4C_RECORD_MASKS]; /* of records, that a mesh shader writes */
    bool stores_outside;                    /* task, mesh: stores to more than the memory of the workgroup */
    bool captures; /* transform feedback */
    struct vc4c_capture capture;
    uint32_t shared_B;        /* compute: size of the workgroup's shared memory */
    bool counts_finished;         /* compute: as in struct vc4c_program */
    uint32_t spill_rows;          /* CPU engine: own rows of the QPU that spilled values use, at most QC_SPILL_ROWS */
    uint32_t spill_slots;     /* CPU engine: slots of IR_SPILL_STORE and IR_SCRATCH_STORE */
    struct {                  /* fragment: how an input is interpolated, per location and component */
        uint8_t flat : 1, noperspective : 1, centroid : 1, sample : 1;
    } interpolation[IR_MAX_LOCATIONS][4];
    struct vc4c_expr *exprs;  /* steps that uniforms of kind EXPR refer to; see ir_hoist_uniforms */
    uint32_t expr_count;
    struct ir_print_call *prints; /* calls of printf, the last one first */
    uint32_t print_count;
    struct ir_table *tables;                           /* of IR_LOAD_TABLE */
    uint32_t table_count, table_capacity, table_words; /* table_words: of all together */
    uint32_t variable_count, variable_capacity; /* used by IR_LOAD_VAR and IR_STORE_VAR */
    struct ir_variable *variables;
};

/* A call of printf. */
struct ir_print_call {
    struct ir_print_call *next;
    uint32_t offset; /* in the module */
    uint32_t number; /* from 0 */
    const char *format;
    struct vc4c_print print; /* without the place of the format */
};

struct ir_variable {
    uint32_t words;           /* size in 32-bit words (booleans take one) */
    uint8_t bits;             /* of each word: 32 or 1 */
};

/* ---------------------------------------------------------------- ops */

struct ir_op_info {
    const char *text;
    uint8_t sources, result; /* 255: variable number; IR_BITS_OF_SOURCE */
    uint32_t flags;          /* IR_P ... */
};
extern const struct ir_op_info ir_op_infos[IR_OP_COUNT];

/* ---------------------------------------------------------------- walking */

#define ir_for_each_instr(it, block)      util_list_for_each(struct ir_instr, it, &(block)->instrs, link)
#define ir_for_each_instr_safe(it, block) util_list_for_each_safe(struct ir_instr, it, &(block)->instrs, link)

/* Blocks in program order, through all nesting; NULL at the end. */
struct ir_block *ir_first_block(struct ir_shader *shader);
struct ir_block *ir_next_block(struct ir_block *block);
#define ir_for_each_block(block, shader) \
    for (struct ir_block *block = ir_first_block(shader); block; block = ir_next_block(block))

static inline struct ir_block *ir_node_as_block(struct ir_node *n)
{
    assert(n->kind == IR_NODE_BLOCK);
    return container_of(n, struct ir_block, node);
}

static inline struct ir_if *ir_node_as_if(struct ir_node *n)
{
    assert(n->kind == IR_NODE_IF);
    return container_of(n, struct ir_if, node);
}

static inline struct ir_loop *ir_node_as_loop(struct ir_node *n)
{
    assert(n->kind == IR_NODE_LOOP);
    return container_of(n, struct ir_loop, node);
}

/* The next or previous node of the list, or NULL. */
static inline struct ir_node *ir_node_next(struct ir_node *node)
{
    return node->link.next == node->list ? NULL : container_of(node->link.next, struct ir_node, link);
}

static inline struct ir_node *ir_node_prev(struct ir_node *node)
{
    return node->link.prev == node->list ? NULL : container_of(node->link.prev, struct ir_node, link);
}

/* The first and the last block of a list: its first and last nodes are always blocks. */
struct ir_block *ir_list_first(struct util_list *list);
struct ir_block *ir_list_last(struct util_list *list);

/* The block's last instruction if it is a BREAK or CONTINUE, else NULL. */
struct ir_instr *ir_block_jump(struct ir_block *block);
/* The loop around the node, or NULL. */
struct ir_loop *ir_enclosing_loop(struct ir_node *node);
/* Fills preds of every block. Unreachable blocks get none. */
void ir_find_preds(struct ir_shader *shader);

/* Dominance; valid until control flow changes. Needs numbered blocks and preds. */
struct ir_dominance;
const struct ir_dominance *ir_find_dominance(struct ir_shader *shader, struct util_arena *arena);
/* Does every path to `b` pass through `a`? Always true for an unreachable `b`. */
bool ir_dominates(const struct ir_dominance *dominance, const struct ir_block *a, const struct ir_block *b);

/* ---------------------------------------------------------------- building */

/* Creates a shader with one empty block. */
struct ir_shader *ir_shader_create(struct util_arena *arena, enum vc4c_program_kind kind);
/* Appends an empty block to a list. */
struct ir_block *ir_block_create(struct ir_shader *shader, struct util_list *list, struct ir_node *parent);

/* The place where new instructions are inserted, and their flags. */
struct ir_builder {
    struct ir_shader *shader;
    struct ir_block *block;
    struct util_list *before; /* insert before this link; &block->instrs = at the end */
    uint32_t spirv_offset;
    bool relaxed, exact;
    /* Builds operations on floats instead of ir_build, which it may call: it is NULL meanwhile. NULL: nothing does. */
    struct ir_instr *(*float_op)(struct ir_builder *b, enum ir_op op, uint32_t count, struct ir_instr *const *srcs);
};

struct ir_builder ir_at_end(struct ir_shader *shader, struct ir_block *block);
struct ir_builder ir_at_start(struct ir_shader *shader, struct ir_block *block); /* after the phis */
struct ir_builder ir_before(struct ir_shader *shader, struct ir_instr *instr);
struct ir_builder ir_after(struct ir_shader *shader, struct ir_instr *instr);

/* Builds any instruction. `bits` is used only by results of variable width. Sources may be NULL until ir_src_set. */
struct ir_instr *ir_build(struct ir_builder *b, enum ir_op op, uint32_t bits, uint32_t src_count,
                          struct ir_instr *const *srcs);
struct ir_instr *ir_build0(struct ir_builder *b, enum ir_op op);
struct ir_instr *ir_build1(struct ir_builder *b, enum ir_op op, struct ir_instr *s0);
struct ir_instr *ir_build2(struct ir_builder *b, enum ir_op op, struct ir_instr *s0, struct ir_instr *s1);
struct ir_instr *ir_build3(struct ir_builder *b, enum ir_op op, struct ir_instr *s0, struct ir_instr *s1,
                           struct ir_instr *s2);
struct ir_instr *ir_const(struct ir_builder *b, uint32_t word);
struct ir_instr *ir_const_f(struct ir_builder *b, float f);
struct ir_instr *ir_const_bool(struct ir_builder *b, bool value);
struct ir_instr *ir_uniform(struct ir_builder *b, enum vc4c_uniform_kind kind, uint32_t ref, uint32_t data);

/* Finds the table with these words, which must outlive the shader, or adds it. False if the limits allow no further
 * table. */
bool ir_table_add(struct ir_shader *shader, const uint32_t *words, uint32_t count, uint32_t *table_out);
/* The offset of the word that LOAD_TABLE reads at byte offset `offset_B`: clamped, and `imm2` as in LOAD_BUFFER. */
uint32_t ir_table_offset_B(const struct ir_table *table, uint32_t offset_B, uint32_t imm2);

/* Control flow at the end of the builder's block, which must be the place of the builder. The builder continues in the
 * new block. */
struct ir_if *ir_push_if(struct ir_builder *b, struct ir_instr *cond); /* continues at the start of the then list */
void ir_push_else(struct ir_builder *b, struct ir_if *nif);
void ir_pop_if(struct ir_builder *b, struct ir_if *nif);               /* continues after the if */
struct ir_loop *ir_push_loop(struct ir_builder *b);
void ir_pop_loop(struct ir_builder *b, struct ir_loop *loop);

/* Control flow in the middle of a block. ir_split_block moves the instructions from the builder's place on to a new
 * block right after the builder's, so that two blocks are neighbours for a while. Then push and pop the new node.
 * ir_join_after merges the block after `node` with that new block again. */
void ir_split_block(struct ir_builder *b);
void ir_join_after(struct ir_builder *b, struct ir_node *node);

void ir_src_set(struct ir_src *src, struct ir_instr *def);
void ir_replace_uses(struct ir_instr *old, struct ir_instr *by);
/* Unlinks an instruction without uses. */
void ir_remove(struct ir_instr *instr);
/* Removes source `i` of a phi; later sources move up. */
void ir_phi_remove_src(struct ir_instr *phi, uint32_t i);
/* Removes the edge between two blocks from the preds of `to` and from its phis. Needs valid preds. */
void ir_remove_edge(struct ir_block *from, struct ir_block *to);
/* Removes everything in a list of nodes, and the edges that leave it. Needs valid preds. */
void ir_remove_list(struct ir_shader *shader, struct util_list *list);
/* Replaces `node` by the nodes of `list` without the list's final jump, and joins the adjacent blocks. The caller must
 * have resolved the phis that depend on `node`. preds become stale. */
void ir_inline_list(struct ir_shader *shader, struct ir_node *node, struct util_list *list);
/* Appends a source to a phi. Returns the phi, which may have moved; its uses are kept. */
struct ir_instr *ir_phi_add_src(struct ir_shader *shader, struct ir_instr *phi, struct ir_instr *def);

/* ---------------------------------------------------------------- inspecting */

/* The width that source `i` must have: 32 or 1 bits. */
uint32_t ir_src_bits(const struct ir_instr *instr, uint32_t i);

static inline bool ir_is_const(const struct ir_instr *instr)
{
    return instr->op == IR_CONST;
}

const char *ir_uniform_kind_name(enum vc4c_uniform_kind kind);

/* Text form; ir_parse reads what ir_print writes (docs/ir-text.md). */
void ir_print(FILE *to, struct ir_shader *shader);
void ir_print_instr(FILE *to, const struct ir_instr *instr);
struct ir_shader *ir_parse(struct util_arena *arena, const char *text, char *error, size_t error_B);

/* Numbers blocks and values densely in program order. */
void ir_renumber(struct ir_shader *shader);

/* Copies a numbered shader whose uniforms are not hoisted yet into `arena`, whose on_oom must be set. Only reads the
 * original. */
struct ir_shader *ir_clone(struct ir_shader *from, struct util_arena *arena);

/* Returns NULL when the shader obeys all rules of this header, else a message (in the arena). `lowered`: also fails if
 * a high-level operation is left, which is always checked when shader->lowered is set. */
const char *ir_validate(struct ir_shader *shader, bool lowered);

/* Fills value.divergent: whether the value may differ between lanes. */
void ir_analyse_divergence(struct ir_shader *shader);
/* The same, for values that may differ between the lanes or the subgroups of a workgroup. */
void ir_analyse_workgroup_divergence(struct ir_shader *shader);
/* Needs ir_analyse_workgroup_divergence. May a subgroup skip a barrier in `list` that others wait at? */
bool ir_barriers_diverge(struct util_list *list);
/* Needs one of the analyses. May some lanes execute code in the list that others skip? */
bool ir_list_diverges(struct util_list *list);

#endif
