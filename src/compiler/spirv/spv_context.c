/* SPDX-License-Identifier: MIT
 *
 * The translation of one entry point from start to end: decorations, then types, constants and module-scope variables
 * in order, then the entry point with all its calls inlined.
 */
#include <string.h>
#include "compiler/spirv/spv_engine.h"

/* ---------------------------------------------------------------- capabilities and sets */

/* Refuses what is not supported, and notes which widths the program may have. */
static void read_capability(struct spv *s, uint32_t capability)
{
    if (!spv_takes_capability(capability)) {
        char text[SPV_CAPABILITY_TEXT_B];
        spv_refuse_capability(text, capability);
        spv_unsupported(s, "%s", text);
    }
    switch (capability) {
    case SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR:
    case SpvCapabilityStorageBuffer16BitAccess:
    case SpvCapabilityUniformAndStorageBuffer16BitAccess:
    case SpvCapabilityStoragePushConstant16:
    case SpvCapabilityStorageInputOutput16:
    case SpvCapabilityInt16:
    case SpvCapabilityFloat16:
        s->has_16_bits = true;
        return;
    case SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:
    case SpvCapabilityStorageBuffer8BitAccess:
    case SpvCapabilityUniformAndStorageBuffer8BitAccess:
    case SpvCapabilityStoragePushConstant8:
    case SpvCapabilityInt8:
        s->has_8_bits = true;
        return;
    case SpvCapabilityInt64:
    case SpvCapabilityInt64ImageEXT: /* which implies Int64 */
        s->has_64_bit_ints = true;
        return;
    case SpvCapabilityFloat64:
        s->has_64_bit_floats = true;
        return;
    case SpvCapabilityVariablePointers:
    case SpvCapabilityVariablePointersStorageBuffer:
        s->has_variable_pointers = true;
        return;
    default:
        return;
    }
}

static void import_set(struct spv *s, const struct spv_instr *in)
{
    const char *name = (const char *)(in->words + 2);
    uint8_t kind;
    if (!strcmp(name, "GLSL.std.450"))
        kind = SPV_GLSL_SET;
    else if (!strcmp(name, "NonSemantic.DebugPrintf") && s->entry && s->entry->prints)
        kind = SPV_PRINTF_SET;
    else if (!strncmp(name, "NonSemantic.", 12) || !strcmp(name, "OpenCL.DebugInfo.100"))
        kind = SPV_IGNORED_SET; /* the latter is debug information of some compilers, which changes no result either */
    else
        spv_unsupported(s, "the instruction set \"%.60s\"", name);
    s->ids[in->words[1]] = (struct spv_id){.kind = kind};
}

/* ---------------------------------------------------------------- module scope */

static void module_variable(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (type->kind != SPV_TYPE_POINTER || type->storage != in->words[3] || !type->elem)
        spv_invalid(s, "the type of a variable is not a pointer with the same storage class");
    if (type->storage == SpvStorageClassPhysicalStorageBuffer)
        spv_invalid(s, "a variable of storage class PhysicalStorageBuffer");
    struct spv_var *var = util_arena_new(s->arena, struct spv_var);
    *var = (struct spv_var){.type = type->elem, .storage = type->storage, .decor = spv_decor(s, in->words[2]),
                            .id = in->words[2], .initializer = in->count > 4 ? in->words[4] : SPV_NO_NUMBER,
                            .shared_B = SPV_NO_NUMBER};
    s->vars[s->var_count++] = var;
    spv_define_pointer(s, in->words[2], spv_var_pointer(s, var, type));
}

static void translate_global_instr(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpCapability:
        read_capability(s, in->words[1]);
        return;
    case SpvOpExtInstImport:
        import_set(s, in);
        return;
    case SpvOpVariable:
        module_variable(s, in);
        return;
    case SpvOpMemoryModel:
        if (in->words[1] != SpvAddressingModelLogical && in->words[1] != SpvAddressingModelPhysicalStorageBuffer64)
            spv_unsupported(s, "addressing model %u", in->words[1]);
        return;
    default:
        if (!spv_translate_type(s, in))
            spv_translate_constant(s, in);
        return;
    }
}

/* Translates everything before the first function. Returns the offset of that function. */
static uint32_t translate_globals(struct spv *s)
{
    uint32_t vars = 0, end = s->m->word_count;
    spv_for_each_instr(in, s->m) {
        vars += in.op == SpvOpVariable;
        s->offset = in.offset;
        spv_read_decoration(s, &in);
    }
    s->vars = util_arena_new_array(s->arena, struct spv_var *, vars);
    spv_for_each_instr(in, s->m) {
        if (in.op == SpvOpFunction)
            break;
        s->offset = in.offset;
        s->b.spirv_offset = in.offset;
        translate_global_instr(s, &in);
        end = in.offset + in.count;
    }
    spv_check_forward_pointers(s);
    return end;
}

static struct spv *create(const struct vc4c_module *m, const struct vc4c_entry *entry, struct util_arena *arena,
                          enum vc4c_program_kind kind, struct vc4c_error *error, jmp_buf *jump)
{
    arena->on_oom = jump;
    struct spv *s = util_arena_new(arena, struct spv);
    *s = (struct spv){.m = m, .entry = entry, .arena = arena, .result = VC4C_OUT_OF_MEMORY, .error = error,
                      .jump = jump, .budget = SPV_BUDGET};
    s->ids = util_arena_new_array(arena, struct spv_id, m->id_count);
    s->decors = util_arena_new_array(arena, struct spv_decor *, m->id_count);
    s->phis = util_arena_new_array(arena, struct spv_phi *, m->id_count);
    s->label_states = util_arena_new_array(arena, struct spv_label_state, m->id_count);
    s->shader = ir_shader_create(arena, kind);
    s->b = ir_at_end(s->shader, ir_first_block(s->shader));
    return s;
}

/* ---------------------------------------------------------------- entry points */

static uint32_t execution_model(enum vc4c_stage stage)
{
    switch (stage) {
    case VC4C_STAGE_VERTEX:
        return SpvExecutionModelVertex;
    case VC4C_STAGE_FRAGMENT:
        return SpvExecutionModelFragment;
    case VC4C_STAGE_GEOMETRY:
        return SpvExecutionModelGeometry;
    case VC4C_STAGE_TESS_CONTROL:
        return SpvExecutionModelTessellationControl;
    case VC4C_STAGE_TESS_EVALUATION:
        return SpvExecutionModelTessellationEvaluation;
    case VC4C_STAGE_TASK:
        return SpvExecutionModelTaskEXT;
    case VC4C_STAGE_MESH:
        return SpvExecutionModelMeshEXT;
    case VC4C_STAGE_COMPUTE:
    case VC4C_STAGES:
        break;
    }
    return SpvExecutionModelGLCompute;
}

static uint32_t string_words(const uint32_t *words)
{
    return (uint32_t)strlen((const char *)words) / 4 + 1;
}

/* Offset of the OpEntryPoint, 0 when there is none. */
static uint32_t find_entry_point(const struct vc4c_entry *entry)
{
    spv_for_each_instr(in, entry->module)
        if (in.op == SpvOpEntryPoint && in.words[1] == execution_model(entry->stage) &&
            !strcmp((const char *)(in.words + 3), entry->name))
            return in.offset;
    return 0;
}

bool vc4c_has_entry(const struct vc4c_entry *entry)
{
    return find_entry_point(entry) != 0;
}

static void mark_interface(struct spv *s)
{
    struct spv_instr in = spv_instr_at(s->m, s->entry_point);
    for (uint32_t i = 3 + string_words(in.words + 3); i < in.count; i++)
        if (s->ids[in.words[i]].kind == SPV_POINTER && s->ids[in.words[i]].pointer->var)
            s->ids[in.words[i]].pointer->var->is_interface = true;
}

static void create_program_variables(struct spv *s)
{
    if (s->shader->kind == VC4C_PROGRAM_COMPUTE)
        spv_create_all_shared(s);
    spv_create_payload(s);
    for (uint32_t i = 0; i < s->var_count; i++) {
        struct spv_var *var = s->vars[i];
        bool is_io = var->storage == SpvStorageClassInput || var->storage == SpvStorageClassOutput;
        if (is_io && var->is_interface && spv_io_is_in_memory(s, var)) {
            spv_create_io_words(s, var);
        } else if (var->storage == SpvStorageClassPrivate || (is_io && var->is_interface)) {
            spv_create_places(s, var);
        }
    }
}

static void translate_entry(struct spv *s)
{
    s->entry_point = find_entry_point(s->entry);
    if (!s->entry_point)
        spv_invalid(s, "the module has no entry point \"%.80s\" for this stage", s->entry->name);
    spv_read_modes(s);
    uint32_t functions = translate_globals(s);
    spv_read_fast_math_modes(s);
    s->offset = s->entry_point;
    if (s->entry->stage == VC4C_STAGE_COMPUTE || spv_has_groups(s))
        spv_read_local_size(s);
    spv_begin_records(s);
    spv_begin_tessellation(s);
    spv_find_writes(s);
    spv_find_indexed(s);
    spv_find_tables(s);
    mark_interface(s);
    spv_find_functions(s, functions);
    s->b = ir_at_end(s->shader, ir_first_block(s->shader)); /* after the instructions that OpSpecConstantOp has left */
    create_program_variables(s);
    spv_begin_emitting(s);
    spv_begin_patch(s);
    spv_begin_group(s);
    if (s->shader->kind == VC4C_PROGRAM_COMPUTE)
        spv_zero_shared(s);
    spv_load_inputs(s);
    spv_collect_captured(s);
    spv_inline_entry(s, s->m->words[s->entry_point + 2]);
    spv_store_outputs(s);
    spv_repair_uses(s);
}

/* ---------------------------------------------------------------- entry functions */

enum vc4c_result spv_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind, struct util_arena *arena,
                           struct ir_shader **shader_out, struct vc4c_error *error)
{
    jmp_buf jump, *outer = arena->on_oom;
    struct spv *volatile s = NULL;
    enum vc4c_result volatile result = VC4C_OK;
    if (setjmp(jump) == 0) {
        s = create(entry->module, entry, arena, kind, error, &jump);
        translate_entry(s);
        *shader_out = s->shader;
    } else {
        result = s ? s->result : VC4C_OUT_OF_MEMORY;
        if (result == VC4C_OUT_OF_MEMORY)
            spv_error(error, result, 0, "out of memory");
    }
    arena->on_oom = outer;
    return result;
}

enum vc4c_result spv_check_module(const struct vc4c_module *m, struct vc4c_error *error)
{
    struct util_arena arena;
    util_arena_init(&arena, m->alloc);
    jmp_buf jump;
    struct spv *volatile s = NULL;
    enum vc4c_result volatile result = VC4C_OK;
    arena.limit_B = (size_t)256 << 20;
    if (setjmp(jump) == 0) {
        s = create(m, NULL, &arena, VC4C_PROGRAM_FRAGMENT, error, &jump);
        translate_globals(s);
    } else {
        result = s ? s->result : VC4C_OUT_OF_MEMORY;
    }
    util_arena_finish(&arena);
    /* Unsupported features are reported when an entry point needs them: a module may hold several. */
    return result == VC4C_UNSUPPORTED ? VC4C_OK : result;
}
