/* SPDX-License-Identifier: MIT
 *
 * Descriptor writes, copies and template updates. They store offsets of surface states and fill the buffer states that
 * a set owns. Nothing is allocated.
 */
#include <string.h>
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "descriptor/vc4vk_update_template.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

/* A descriptor of a set. An update with more descriptors than its binding has continues in the following bindings. */
struct cursor {
    const struct vc4vk_set *set;
    uint32_t binding, element;
};

static const struct vc4vk_set_binding *cursor_binding(struct cursor *c)
{
    while (c->binding < c->set->layout->binding_count && c->element >= vc4vk_set_binding_count(c->set, c->binding)) {
        c->element -= vc4vk_set_binding_count(c->set, c->binding);
        c->binding++;
    }
    return c->binding < c->set->layout->binding_count ? &c->set->layout->bindings[c->binding] : NULL;
}

static int32_t *cursor_entry(const struct cursor *c, const struct vc4vk_set_binding *b)
{
    return &c->set->entries[b->first_entry + c->element * b->element_entries];
}

static struct vc4vk_surface_state *cursor_buffer(const struct cursor *c, const struct vc4vk_set_binding *b,
                                                 int32_t *offset_B_out)
{
    *offset_B_out = c->set->buffer_states[b->first_buffer + c->element];
    return vc4vk_state_ptr(c->set->states, *offset_B_out);
}

/* -- writes ------------------------------------------------------------------------------------------------------- */

static int32_t view_offset(VkImageView handle, VkDescriptorType type)
{
    VC4VK_FROM_HANDLE(vc4vk_image_view, view, handle);
    if (!view)
        return 0;
    if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && view->sliced.size_B)
        return view->sliced.offset_B;
    return view->sampled.size_B ? view->sampled.offset_B : view->sampled_stencil.offset_B;
}

/* The surface state of plane 1 + index; 0, the null state, when the image has no such plane. */
static int32_t chroma_offset(VkImageView handle, uint32_t index)
{
    VC4VK_FROM_HANDLE(vc4vk_image_view, view, handle);
    return view ? view->chroma[index].offset_B : 0;
}

static int32_t sampler_offset(VkSampler handle)
{
    VC4VK_FROM_HANDLE(vc4vk_sampler, sampler, handle);
    return sampler ? sampler->state.offset_B : 0;
}

static void write_buffer(const struct cursor *c, const struct vc4vk_set_binding *b, VkDescriptorType type,
                         const VkDescriptorBufferInfo *info)
{
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, info->buffer);
    int32_t offset_B;
    struct vc4vk_surface_state *state = cursor_buffer(c, b, &offset_B);
    if (!buffer || !buffer->bo) {
        *cursor_entry(c, b) = 0;
        return;
    }
    const uint64_t begin_B = MIN2(info->offset, buffer->size_B);
    const uint64_t size_B = MIN2(vc4vk_buffer_range(buffer, begin_B, info->range), buffer->size_B - begin_B);
    state->kind = VC4VK_STATE_BUFFER;
    state->buffer = (struct vc4vk_buffer_state){
        .bo = buffer->bo,
        .base_B = (uint32_t)(buffer->offset_B + begin_B),
        .size_B = (uint32_t)size_B,
        .storage = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
    };
    *cursor_entry(c, b) = offset_B;
}

/* Whether descriptors of this type may be written to the binding. */
static bool takes_type(const struct vc4vk_set_binding *b, VkDescriptorType type)
{
    const uint32_t index = vc4vk_descriptor_type_index(type);
    return b->type == type || (index < VC4VK_TYPE_INLINE && (b->mutable_types & BIT(index)));
}

/* `info` is a VkDescriptorImageInfo, VkDescriptorBufferInfo or VkBufferView, depending on the type. */
static void write_one(const struct cursor *c, const struct vc4vk_set_binding *b, VkDescriptorType type,
                      const void *info)
{
    int32_t *entry = cursor_entry(c, b);
    const VkDescriptorImageInfo *image = info;
    const VkBufferView *view = info;
    switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER: /* a mutable descriptor has its sampler where a combined one has it */
        if (!b->immutable)
            entry[b->element_entries - 1] = sampler_offset(image->sampler);
        break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        entry[0] = view_offset(image->imageView, type);
        if (!b->immutable)
            entry[1] = sampler_offset(image->sampler);
        for (uint32_t i = 2; i < b->element_entries; i++)
            entry[i] = chroma_offset(image->imageView, i - 2);
        break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        entry[0] = view_offset(image->imageView, type);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        entry[0] = *view ? vc4vk_buffer_view_from_handle(*view)->state.offset_B : 0;
        break;
    default:
        write_buffer(c, b, type, info);
        break;
    }
}

/* A dynamic buffer that is partially bound may be destroyed while binding tables name it. */
static void hold_dynamic(const struct cursor *c, const struct vc4vk_set_binding *b)
{
    int32_t offset_B;
    if (!vc4vk_descriptor_is_dynamic(b->type) || !c->set->arrays)
        return;
    const struct vc4vk_surface_state *state = cursor_buffer(c, b, &offset_B);
    vc4vk_set_hold(c->set, b->first_dynamic + c->element, *cursor_entry(c, b) ? vc4vk_surface_state_bo(state) : NULL);
}

/* Stops at a binding of another type: `infos` would point to the wrong kind of struct there. */
static void write_many(struct cursor c, VkDescriptorType type, const void *infos, size_t stride_B, uint32_t count)
{
    const uint8_t *info = infos;
    for (uint32_t i = 0; i < count; i++, c.element++, info += stride_B) {
        const struct vc4vk_set_binding *b = cursor_binding(&c);
        if (!b || !takes_type(b, type))
            return;
        write_one(&c, b, type, info);
        if (b->memory_B && c.set->arrays)
            vc4vk_set_array_write(c.set, b, c.element, type);
        hold_dynamic(&c, b);
    }
}

/* Writes bytes of an inline uniform block; `at_B`: from which byte of the block on. */
static void write_inline(const struct vc4vk_set *set, uint32_t binding, uint32_t at_B, const void *data,
                         uint32_t size_B)
{
    if (binding >= set->layout->binding_count || !set->inline_map || !set->layout->bindings[binding].inline_B)
        return;
    const uint32_t limit_B = vc4vk_set_binding_count(set, binding);
    if (at_B < limit_B)
        memcpy(set->inline_map + set->layout->bindings[binding].first_inline_B + at_B, data,
               MIN2(size_B, limit_B - at_B));
}

void vc4vk_set_write(const struct vc4vk_set *set, const VkWriteDescriptorSet *w)
{
    const struct cursor c = {set, w->dstBinding, w->dstArrayElement};
    if (w->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const VkWriteDescriptorSetInlineUniformBlock *block =
            vc4vk_find_in_chain(w->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        if (block)
            write_inline(set, w->dstBinding, w->dstArrayElement, block->pData, block->dataSize);
        return;
    }
    if (vc4vk_descriptor_is_buffer(w->descriptorType))
        write_many(c, w->descriptorType, w->pBufferInfo, sizeof *w->pBufferInfo, w->descriptorCount);
    else if (vc4vk_descriptor_is_texel_buffer(w->descriptorType))
        write_many(c, w->descriptorType, w->pTexelBufferView, sizeof *w->pTexelBufferView, w->descriptorCount);
    else
        write_many(c, w->descriptorType, w->pImageInfo, sizeof *w->pImageInfo, w->descriptorCount);
}

void vc4vk_set_write_template(const struct vc4vk_set *set, const struct vc4vk_update_template *template,
                              const void *data)
{
    for (uint32_t i = 0; i < template->entry_count; i++) {
        const VkDescriptorUpdateTemplateEntry *e = &template->entries[i];
        if (e->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            write_inline(set, e->dstBinding, e->dstArrayElement, (const uint8_t *)data + e->offset,
                         e->descriptorCount);
            continue;
        }
        write_many((struct cursor){set, e->dstBinding, e->dstArrayElement}, e->descriptorType,
                   (const uint8_t *)data + e->offset, e->stride, e->descriptorCount);
    }
}

/* -- copies ------------------------------------------------------------------------------------------------------- */

/* Whether the element's first entry is the buffer state that the element itself owns. */
static bool holds_own_buffer(const struct cursor *c, const struct vc4vk_set_binding *b)
{
    int32_t offset_B;
    if (!vc4vk_descriptor_owns_state(b->type))
        return false;
    cursor_buffer(c, b, &offset_B);
    return *cursor_entry(c, b) == offset_B;
}

static void copy_one(const struct cursor *to, const struct vc4vk_set_binding *to_b, const struct cursor *from,
                     const struct vc4vk_set_binding *from_b)
{
    const int32_t *source = cursor_entry(from, from_b);
    int32_t *target = cursor_entry(to, to_b);
    if (holds_own_buffer(from, from_b)) {
        int32_t to_B = 0, from_B;
        if (vc4vk_descriptor_owns_state(to_b->type)) {
            struct vc4vk_surface_state *to_state = cursor_buffer(to, to_b, &to_B);
            *to_state = *cursor_buffer(from, from_b, &from_B);
        }
        target[0] = to_B;
        return;
    }
    const bool is_sampler = to_b->type == VK_DESCRIPTOR_TYPE_SAMPLER;
    if (is_sampler || from_b->type == VK_DESCRIPTOR_TYPE_SAMPLER) { /* the other one may be mutable */
        if (!to_b->immutable)
            target[to_b->element_entries - 1] = source[from_b->element_entries - 1];
        return;
    }
    target[0] = source[0];
    const uint32_t count = MIN2(to_b->element_entries, from_b->element_entries);
    if (count > 1 && !to_b->immutable)
        target[1] = source[1];
    for (uint32_t i = 2; i < count; i++)
        target[i] = source[i];
}

static bool may_copy(const struct vc4vk_set_binding *to, const struct vc4vk_set_binding *from)
{
    return to->type == from->type || to->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ||
           from->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
}

static void copy_inline(const struct vc4vk_set *to, const struct vc4vk_set *from, const VkCopyDescriptorSet *copy)
{
    const uint32_t size_B = vc4vk_set_binding_count(from, copy->srcBinding);
    if (!from->inline_map || copy->srcArrayElement >= size_B)
        return;
    const uint32_t from_B = from->layout->bindings[copy->srcBinding].first_inline_B + copy->srcArrayElement;
    write_inline(to, copy->dstBinding, copy->dstArrayElement, from->inline_map + from_B,
                 MIN2(copy->descriptorCount, size_B - copy->srcArrayElement));
}

static void copy_descriptors(const VkCopyDescriptorSet *copy)
{
    struct cursor from = {vc4vk_set_from_handle(copy->srcSet), copy->srcBinding, copy->srcArrayElement};
    struct cursor to = {vc4vk_set_from_handle(copy->dstSet), copy->dstBinding, copy->dstArrayElement};
    if (copy->srcBinding < from.set->layout->binding_count && from.set->layout->bindings[copy->srcBinding].inline_B) {
        copy_inline(to.set, from.set, copy);
        return;
    }
    for (uint32_t i = 0; i < copy->descriptorCount; i++, from.element++, to.element++) {
        const struct vc4vk_set_binding *from_b = cursor_binding(&from), *to_b = cursor_binding(&to);
        if (!from_b || !to_b || from_b->inline_B || to_b->inline_B || !may_copy(to_b, from_b))
            return;
        copy_one(&to, to_b, &from, from_b);
        hold_dynamic(&to, to_b);
        if (!to_b->memory_B || !to.set->arrays)
            continue;
        if (from_b->memory_B && from.set->arrays)
            vc4vk_set_array_copy(to.set, to_b, to.element, from.set, from_b, from.element);
        else
            vc4vk_set_array_write(to.set, to_b, to.element,
                                  to_b->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? from_b->type : to_b->type);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_UpdateDescriptorSets(VkDevice device, uint32_t descriptorWriteCount,
                                                      const VkWriteDescriptorSet *pDescriptorWrites,
                                                      uint32_t descriptorCopyCount,
                                                      const VkCopyDescriptorSet *pDescriptorCopies)
{
    for (uint32_t i = 0; i < descriptorWriteCount; i++)
        vc4vk_set_write(vc4vk_set_from_handle(pDescriptorWrites[i].dstSet), &pDescriptorWrites[i]);
    for (uint32_t i = 0; i < descriptorCopyCount; i++)
        copy_descriptors(&pDescriptorCopies[i]);
}
