/* SPDX-License-Identifier: MIT
 *
 * The program's descriptor bindings, as the entry's user binds them.
 */
#include "compiler/spirv/spv_engine.h"

static enum vc4c_resource_kind resource_kind(const struct spv_var *var, const struct spv_type *t)
{
    switch ((enum spv_type_kind)t->kind) {
    case SPV_TYPE_SAMPLED_IMAGE:
        if (t->elem->dim == SpvDimBuffer)
            return VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER;
        return VC4C_RESOURCE_COMBINED_IMAGE_SAMPLER;
    case SPV_TYPE_SAMPLER:
        return VC4C_RESOURCE_SAMPLER;
    case SPV_TYPE_IMAGE:
        if (t->dim == SpvDimSubpassData)
            return VC4C_RESOURCE_INPUT_ATTACHMENT;
        if (t->dim == SpvDimBuffer)
            return t->sampled == 2 ? VC4C_RESOURCE_STORAGE_TEXEL_BUFFER : VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER;
        return t->sampled == 2 ? VC4C_RESOURCE_STORAGE_IMAGE : VC4C_RESOURCE_SAMPLED_IMAGE;
    default:
        if (var->storage == SpvStorageClassStorageBuffer || t->decor->buffer_block)
            return VC4C_RESOURCE_STORAGE_BUFFER;
        return VC4C_RESOURCE_UNIFORM_BUFFER;
    }
}

bool vc4c_has_runtime_arrays(const struct vc4c_module *module)
{
    spv_for_each_instr(in, module) {
        if (in.op != SpvOpCapability)
            return false;
        if (in.words[1] == SpvCapabilityRuntimeDescriptorArray)
            return true;
    }
    return false;
}

/* Of several variables with one binding, each has the elements that its own type says. */
uint32_t spv_descriptor_count(struct spv *s, const struct spv_var *var)
{
    const struct vc4c_entry *e = s->entry;
    if (var->type->kind != SPV_TYPE_ARRAY)
        return 1;
    if (var->type->count)
        return var->type->count;
    if (!e->array_sizes)
        return VC4C_USUAL_ARRAY;
    for (uint32_t i = 0; i < e->array_size_count; i++)
        if (e->array_sizes[i].set == var->decor->set && e->array_sizes[i].binding == var->decor->binding)
            return e->array_sizes[i].count;
    spv_unsupported(s, "a run-time array of descriptors in set %u, binding %u, which the layout does not have",
                    var->decor->set, var->decor->binding);
}

uint32_t spv_use_binding(struct spv *s, const struct spv_var *var)
{
    struct ir_shader *shader = s->shader;
    bool is_array = var->type->kind == SPV_TYPE_ARRAY;
    struct vc4c_resource r = {.set = (uint16_t)var->decor->set, .binding = (uint16_t)var->decor->binding,
                              .count = (uint16_t)MIN2(spv_descriptor_count(s, var), 0xffffu)};
    const struct spv_type *type = is_array ? var->type->elem : var->type;
    r.kind = (uint8_t)resource_kind(var, type);
    if (spv_descriptor_stride_B(s, var)) {
        r.access = VC4C_ACCESS_MEMORY;
        r.count = 1;
    }
    if (r.kind == VC4C_RESOURCE_STORAGE_IMAGE || r.kind == VC4C_RESOURCE_STORAGE_TEXEL_BUFFER)
        r.format = (uint8_t)spv_declared_format(s, type);
    for (uint32_t i = 0; i < shader->resource_count; i++) {
        struct vc4c_resource *known = &shader->resources[i];
        if (known->set != r.set || known->binding != r.binding || known->kind != r.kind)
            continue;
        if (known->format != r.format) /* two variables share the binding */
            known->format = VC4C_FORMAT_ANY;
        return i;
    }
    if (shader->resource_count == VC4C_MAX_RESOURCES)
        spv_unsupported(s, "more than %u descriptor bindings", VC4C_MAX_RESOURCES);
    shader->resources[shader->resource_count] = r;
    return shader->resource_count++;
}
