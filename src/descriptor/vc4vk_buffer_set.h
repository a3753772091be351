/* SPDX-License-Identifier: MIT
 *
 * Sets in descriptor buffers (VK_EXT_descriptor_buffer): memory of the application with the bytes that
 * vkGetDescriptorEXT has written (docs/descriptor-arrays.md). The layout decides where in that memory each binding lies
 * and how its descriptors are read:
 *
 * - Programs read descriptors in memory themselves, as in arrays of sets of pools (vc4vk_set_arrays.h). The binding
 *   table has a buffer state with all descriptors of the binding.
 * - The bytes of inline uniform blocks are a buffer.
 * - Input attachments and combined image samplers with Y'CbCr conversion are read when a job is issued, because the
 *   code of their lookups depends on the view. Until then their entries are null. Both kinds are self-contained: they
 *   have addresses, no handles, so descriptors that no program uses may name resources that are gone.
 */
#ifndef DESCRIPTOR_VC4VK_BUFFER_SET_H
#define DESCRIPTOR_VC4VK_BUFFER_SET_H

#include "descriptor/vc4vk_binding_table.h"
#include "device/vc4vk_memory.h"

/* A set in a descriptor buffer. It belongs to a command buffer, as does the set that points to it. */
struct vc4vk_set_in_buffer {
    struct vc4vk_memory_place at; /* without a reference */
    int32_t array_states[];       /* layout->array_count: offsets of the buffer states of bindings that programs read */
};

/* The descriptor of a combined image sampler with Y'CbCr conversion has the whole view of plane 0 and what differs in
 * the other planes. The sampler is the layout's immutable one, so there is none. */
struct vc4vk_planar_descriptor {
    struct hw_view_descriptor first;
    struct {
        uint32_t address[2], limit_B[2];
        uint16_t width_px[2], height_px[2], stride_dw[2];
        uint8_t format[2], layout[2], t_levels[2], cpp[2];
        uint8_t swizzle[2][4];
        uint32_t layer_stride_B[2];
    } chroma;
};
_Static_assert(sizeof(struct vc4vk_planar_descriptor) == HW_ENGINE_OFFSET_B,
               "it is as long as every combined image sampler");

/* Whether mutable descriptors of these types (a mask of type indices) can be in descriptor buffers. The types must have
 * their descriptors at the same place whatever else the mask has, because vkGetDescriptorEXT does not know it. */
bool vc4vk_mutable_fits_buffer(uint32_t types);

/* Places the bindings of a layout for descriptor buffers; called before they are numbered. VK_ERROR_FEATURE_NOT_PRESENT
 * for types that cannot be there, VK_ERROR_OUT_OF_HOST_MEMORY if they take too much memory. */
VkResult vc4vk_set_layout_place_in_buffer(struct vc4vk_device *device, struct vc4vk_set_layout *layout);

/* A set of the layout, all in one piece: the set, its entries, and struct vc4vk_set_in_buffer. */
size_t vc4vk_buffer_set_size_B(const struct vc4vk_set_layout *layout);
/* Initialises zeroed memory of that size. Buffer states come from the writer; the layout is not referenced. What would
 * be beyond the end of the place is null. VK_ERROR_OUT_OF_DEVICE_MEMORY when the block pool is full. */
VkResult vc4vk_buffer_set_init(void *memory, struct vc4vk_set_layout *layout, struct vc4vk_table_writer *writer,
                               const struct vc4vk_memory_place *at);

/* Whether the entry is one whose descriptor is read when a job is issued. */
bool vc4vk_buffer_set_is_read(const struct vc4vk_set *set, uint32_t entry);
/* Reads the descriptor of such an entry: writes the view's surface state, and the layout that it points to. False: it
 * is null or makes no sense, or its memory is gone. Otherwise the caller owns a reference of state->view.bo. */
bool vc4vk_buffer_set_read(struct vc4vk_device *device, const struct vc4vk_set *set, uint32_t entry,
                           struct vc4vk_surface_state *state, struct hw_layout *layout) UTIL_MUST_CHECK;

/* Whether the formats of the binding's descriptors are read when a job is issued: storage images and texel buffers, but
 * not those of long arrays, whose formats have to be the declared ones. */
bool vc4vk_formats_are_read(const struct vc4vk_set_binding *binding);
/* The format of an element of such a binding. HW_FORMAT_NONE: it is null or makes no sense, or its memory is gone, or
 * the set is not in a descriptor buffer. */
enum hw_format vc4vk_buffer_set_format(const struct vc4vk_set *set, const struct vc4vk_set_binding *binding,
                                       uint32_t element);

#endif
