/* SPDX-License-Identifier: MIT
 *
 * The extensions that this driver implements, one row each. vc4vk_entrypoints_gen.py reads these rows too: an extension
 * without a row has no entry points.
 */
#ifndef DEVICE_VC4VK_EXTENSIONS_H
#define DEVICE_VC4VK_EXTENSIONS_H

#include <vulkan/vulkan.h>
#include "util/macros.h"

/* X(name without VK_, spec version, supported by at least one device) */
#ifdef VC4VK_HAVE_WAYLAND
#define VC4VK_WAYLAND 1
#else
#define VC4VK_WAYLAND 0
#endif
#ifdef VC4VK_HAVE_XCB
#define VC4VK_XCB 1
#else
#define VC4VK_XCB 0
#endif
#ifdef VC4VK_HAVE_XLIB
#define VC4VK_XLIB 1
#else
#define VC4VK_XLIB 0
#endif

/* For extensions that depend on the machine (extensions_of in vc4vk_device.c). */
#define VC4VK_BY_MACHINE 1

/* For extensions that not every supported version of the headers and of the registry knows. */
#define VC4VK_KNOWN(name) UTIL_IS_ONE(VK_##name)

#define VC4VK_INSTANCE_EXTENSIONS(X)                                                                                   \
    X(KHR_device_group_creation, 1, 1)                                                                                 \
    X(KHR_display, 23, 1)                                                                                              \
    X(KHR_external_fence_capabilities, 1, 1)                                                                           \
    X(KHR_external_memory_capabilities, 1, 1)                                                                          \
    X(KHR_external_semaphore_capabilities, 1, 1)                                                                       \
    X(KHR_get_display_properties2, 1, 1)                                                                               \
    X(KHR_get_physical_device_properties2, 2, 1)                                                                       \
    X(KHR_get_surface_capabilities2, 1, 1)                                                                             \
    X(KHR_surface, 25, 1)                                                                                              \
    X(KHR_surface_protected_capabilities, 1, 1)                                                                        \
    X(KHR_wayland_surface, 6, VC4VK_WAYLAND)                                                                           \
    X(KHR_xcb_surface, 6, VC4VK_XCB)                                                                                   \
    X(KHR_xlib_surface, 6, VC4VK_XLIB)                                                                                 \
    X(EXT_acquire_drm_display, 1, 1)                                                                                   \
    X(EXT_debug_utils, 2, 1)                                                                                           \
    X(EXT_direct_mode_display, 1, 1)                                                                                   \
    X(EXT_display_surface_counter, 1, 1)                                                                               \
    X(EXT_headless_surface, 1, 1)                                                                                      \
    X(EXT_surface_maintenance1, 1, 1)                                                                                  \
    X(EXT_swapchain_colorspace, 4, 1)

#define VC4VK_DEVICE_EXTENSIONS(X)                                                                                     \
    X(KHR_8bit_storage, 1, 1)                                                                                          \
    X(KHR_16bit_storage, 1, 1)                                                                                         \
    X(KHR_bind_memory2, 1, 1)                                                                                          \
    X(KHR_buffer_device_address, 1, 1)                                                                                 \
    X(KHR_calibrated_timestamps, 1, VC4VK_KNOWN(KHR_calibrated_timestamps))                                            \
    X(KHR_compute_shader_derivatives, 1, VC4VK_KNOWN(KHR_compute_shader_derivatives))                                  \
    X(KHR_copy_commands2, 1, 1)                                                                                        \
    X(KHR_create_renderpass2, 1, 1)                                                                                    \
    X(KHR_dedicated_allocation, 3, 1)                                                                                  \
    X(KHR_depth_clamp_zero_one, 1, VC4VK_KNOWN(KHR_depth_clamp_zero_one))                                              \
    X(KHR_depth_stencil_resolve, 1, 1)                                                                                 \
    X(KHR_descriptor_update_template, 1, 1)                                                                            \
    X(KHR_device_group, 4, 1)                                                                                          \
    X(KHR_draw_indirect_count, 1, 1)                                                                                   \
    X(KHR_driver_properties, 1, 1)                                                                                     \
    X(KHR_dynamic_rendering, 1, 1)                                                                                     \
    X(KHR_dynamic_rendering_local_read, 1, VC4VK_KNOWN(KHR_dynamic_rendering_local_read))                              \
    X(KHR_external_fence, 1, 1)                                                                                        \
    X(KHR_external_fence_fd, 1, 1)                                                                                     \
    X(KHR_external_memory, 1, 1)                                                                                       \
    X(KHR_external_memory_fd, 1, 1)                                                                                    \
    X(KHR_external_semaphore, 1, 1)                                                                                    \
    X(KHR_external_semaphore_fd, 1, 1)                                                                                 \
    X(KHR_format_feature_flags2, 2, 1)                                                                                 \
    X(KHR_global_priority, 1, 1)                                                                                       \
    X(KHR_get_memory_requirements2, 1, 1)                                                                              \
    X(KHR_image_format_list, 1, 1)                                                                                     \
    X(KHR_imageless_framebuffer, 1, 1)                                                                                 \
    X(KHR_incremental_present, 2, 1)                                                                                   \
    X(KHR_index_type_uint8, 1, VC4VK_KNOWN(KHR_index_type_uint8))                                                      \
    X(KHR_load_store_op_none, 1, VC4VK_KNOWN(KHR_load_store_op_none))                                                  \
    X(KHR_line_rasterization, 1, VC4VK_KNOWN(KHR_line_rasterization))                                                  \
    X(KHR_maintenance1, 2, 1)                                                                                          \
    X(KHR_maintenance2, 1, 1)                                                                                          \
    X(KHR_maintenance3, 1, 1)                                                                                          \
    X(KHR_maintenance4, 2, 1)                                                                                          \
    X(KHR_maintenance5, 1, VC4VK_KNOWN(KHR_maintenance5))                                                              \
    X(KHR_maintenance6, 1, VC4VK_KNOWN(KHR_maintenance6))                                                              \
    X(KHR_maintenance7, 1, VC4VK_KNOWN(KHR_maintenance7))                                                              \
    X(KHR_maintenance8, 1, VC4VK_KNOWN(KHR_maintenance8))                                                              \
    X(KHR_map_memory2, 1, VC4VK_KNOWN(KHR_map_memory2))                                                                \
    X(KHR_multiview, 1, 1)                                                                                             \
    X(KHR_performance_query, 1, 1)                                                                                     \
    X(KHR_pipeline_executable_properties, 1, 1)                                                                        \
    X(KHR_pipeline_library, 1, 1)                                                                                      \
    X(KHR_present_id, 1, 1)                                                                                            \
    X(KHR_present_wait, 1, 1)                                                                                          \
    X(KHR_push_descriptor, 2, 1)                                                                                       \
    X(KHR_relaxed_block_layout, 1, 1)                                                                                  \
    X(KHR_sampler_mirror_clamp_to_edge, 3, 1)                                                                          \
    X(KHR_sampler_ycbcr_conversion, 14, 1)                                                                             \
    X(KHR_separate_depth_stencil_layouts, 1, 1)                                                                        \
    X(KHR_shader_atomic_int64, 1, 1)                                                                                   \
    X(KHR_shader_clock, 1, 1)                                                                                          \
    X(KHR_shader_draw_parameters, 1, 1)                                                                                \
    X(KHR_shader_expect_assume, 1, VC4VK_KNOWN(KHR_shader_expect_assume))                                              \
    X(KHR_shader_float16_int8, 1, 1)                                                                                   \
    X(KHR_shader_float_controls, 4, 1)                                                                                 \
    X(KHR_shader_float_controls2, 1, VC4VK_KNOWN(KHR_shader_float_controls2))                                          \
    X(KHR_shader_integer_dot_product, 1, 1)                                                                            \
    X(KHR_shader_maximal_reconvergence, 1, VC4VK_KNOWN(KHR_shader_maximal_reconvergence))                              \
    X(KHR_shader_non_semantic_info, 1, 1)                                                                              \
    X(KHR_shader_quad_control, 1, VC4VK_KNOWN(KHR_shader_quad_control))                                                \
    X(KHR_shader_relaxed_extended_instruction, 1, VC4VK_KNOWN(KHR_shader_relaxed_extended_instruction))                \
    X(KHR_shader_subgroup_extended_types, 1, 1)                                                                        \
    X(KHR_shader_subgroup_rotate, 2, VC4VK_KNOWN(KHR_shader_subgroup_rotate))                                          \
    X(KHR_shader_subgroup_uniform_control_flow, 1, 1)                                                                  \
    X(KHR_shader_terminate_invocation, 1, 1)                                                                           \
    X(KHR_spirv_1_4, 1, 1)                                                                                             \
    X(KHR_storage_buffer_storage_class, 1, 1)                                                                          \
    X(KHR_swapchain, 70, 1)                                                                                            \
    X(KHR_swapchain_mutable_format, 1, 1)                                                                              \
    X(KHR_synchronization2, 1, 1)                                                                                      \
    X(KHR_timeline_semaphore, 2, 1)                                                                                    \
    X(KHR_uniform_buffer_standard_layout, 1, 1)                                                                        \
    X(KHR_variable_pointers, 1, 1)                                                                                     \
    X(KHR_vertex_attribute_divisor, 1, VC4VK_KNOWN(KHR_vertex_attribute_divisor))                                      \
    X(KHR_vulkan_memory_model, 3, 1)                                                                                   \
    X(KHR_workgroup_memory_explicit_layout, 1, 1)                                                                      \
    X(KHR_zero_initialize_workgroup_memory, 1, 1)                                                                      \
    X(EXT_4444_formats, 1, 1)                                                                                          \
    X(EXT_buffer_device_address, 2, 1)                                                                                 \
    X(EXT_attachment_feedback_loop_dynamic_state, 1, VC4VK_KNOWN(EXT_attachment_feedback_loop_dynamic_state))          \
    X(EXT_attachment_feedback_loop_layout, 2, 1)                                                                       \
    X(EXT_border_color_swizzle, 1, 1)                                                                                  \
    X(EXT_calibrated_timestamps, 2, 1)                                                                                 \
    X(EXT_color_write_enable, 1, 1)                                                                                    \
    X(EXT_conditional_rendering, 2, 1)                                                                                 \
    X(EXT_custom_border_color, 12, 1)                                                                                  \
    X(EXT_depth_bias_control, 1, VC4VK_KNOWN(EXT_depth_bias_control))                                                  \
    X(EXT_depth_clamp_zero_one, 1, 1)                                                                                  \
    X(EXT_depth_clip_control, 1, 1)                                                                                    \
    X(EXT_depth_clip_enable, 1, 1)                                                                                     \
    X(EXT_descriptor_buffer, 1, 1)                                                                                     \
    X(EXT_descriptor_indexing, 2, 1)                                                                                   \
    X(EXT_device_address_binding_report, 1, 1)                                                                         \
    X(EXT_device_fault, 1, 1)                                                                                          \
    X(EXT_display_control, 1, 1)                                                                                       \
    X(EXT_dynamic_rendering_unused_attachments, 1, VC4VK_KNOWN(EXT_dynamic_rendering_unused_attachments))              \
    X(EXT_extended_dynamic_state, 1, 1)                                                                                \
    X(EXT_extended_dynamic_state2, 1, 1)                                                                               \
    X(EXT_extended_dynamic_state3, 2, 1)                                                                               \
    X(EXT_external_memory_dma_buf, 1, VC4VK_BY_MACHINE)                                                                \
    X(EXT_external_memory_host, 1, 1)                                                                                  \
    X(EXT_fragment_shader_interlock, 1, 1)                                                                             \
    X(EXT_global_priority, 2, 1)                                                                                       \
    X(EXT_global_priority_query, 1, 1)                                                                                 \
    X(EXT_graphics_pipeline_library, 1, 1)                                                                             \
    X(EXT_host_image_copy, 1, VC4VK_KNOWN(EXT_host_image_copy))                                                        \
    X(EXT_host_query_reset, 1, 1)                                                                                      \
    X(EXT_image_2d_view_of_3d, 1, 1)                                                                                   \
    X(EXT_image_compression_control, 1, 1)                                                                             \
    X(EXT_image_drm_format_modifier, 2, VC4VK_BY_MACHINE)                                                              \
    X(EXT_image_robustness, 1, 1)                                                                                      \
    X(EXT_image_sliced_view_of_3d, 1, VC4VK_KNOWN(EXT_image_sliced_view_of_3d))                                        \
    X(EXT_index_type_uint8, 1, 1)                                                                                      \
    X(EXT_inline_uniform_block, 1, 1)                                                                                  \
    X(EXT_legacy_dithering, 1, 1)                                                                                      \
    X(EXT_legacy_vertex_attributes, 1, VC4VK_KNOWN(EXT_legacy_vertex_attributes))                                      \
    X(EXT_line_rasterization, 1, 1)                                                                                    \
    X(EXT_load_store_op_none, 1, 1)                                                                                    \
    X(EXT_memory_budget, 1, 1)                                                                                         \
    X(EXT_memory_priority, 1, 1)                                                                                       \
    X(EXT_mesh_shader, 1, 1)                                                                                           \
    X(EXT_multi_draw, 1, 1)                                                                                            \
    X(EXT_multisampled_render_to_single_sampled, 1, 1)                                                                 \
    X(EXT_mutable_descriptor_type, 1, 1)                                                                               \
    X(EXT_nested_command_buffer, 1, VC4VK_KNOWN(EXT_nested_command_buffer))                                            \
    X(EXT_non_seamless_cube_map, 1, 1)                                                                                 \
    X(EXT_pageable_device_local_memory, 1, 1)                                                                          \
    X(EXT_pipeline_creation_cache_control, 3, 1)                                                                       \
    X(EXT_pipeline_creation_feedback, 1, 1)                                                                            \
    X(EXT_pipeline_protected_access, 1, 1)                                                                             \
    X(EXT_pipeline_robustness, 1, 1)                                                                                   \
    X(EXT_post_depth_coverage, 1, 1)                                                                                   \
    X(EXT_primitive_topology_list_restart, 1, 1)                                                                       \
    X(EXT_primitives_generated_query, 1, 1)                                                                            \
    X(EXT_private_data, 1, 1)                                                                                          \
    X(EXT_provoking_vertex, 1, 1)                                                                                      \
    X(EXT_queue_family_foreign, 1, 1)                                                                                  \
    X(EXT_robustness2, 1, 1)                                                                                           \
    X(EXT_sampler_filter_minmax, 2, 1)                                                                                 \
    X(EXT_scalar_block_layout, 1, 1)                                                                                   \
    X(EXT_separate_stencil_usage, 1, 1)                                                                                \
    X(EXT_shader_atomic_float, 1, 1)                                                                                   \
    X(EXT_shader_atomic_float2, 1, 1)                                                                                  \
    X(EXT_shader_demote_to_helper_invocation, 1, 1)                                                                    \
    X(EXT_shader_image_atomic_int64, 1, 1)                                                                             \
    X(EXT_shader_object, 1, VC4VK_KNOWN(EXT_shader_object))                                                            \
    X(EXT_shader_replicated_composites, 1, VC4VK_KNOWN(EXT_shader_replicated_composites))                              \
    X(EXT_shader_stencil_export, 1, 1)                                                                                 \
    X(EXT_shader_subgroup_ballot, 1, 1)                                                                                \
    X(EXT_shader_subgroup_vote, 1, 1)                                                                                  \
    X(EXT_shader_viewport_index_layer, 1, 1)                                                                           \
    X(EXT_subgroup_size_control, 2, 1)                                                                                 \
    X(EXT_swapchain_maintenance1, 1, 1)                                                                                \
    X(EXT_texel_buffer_alignment, 1, 1)                                                                                \
    X(EXT_tooling_info, 1, 1)                                                                                          \
    X(EXT_transform_feedback, 1, 1)                                                                                    \
    X(EXT_vertex_attribute_divisor, 3, 1)                                                                              \
    X(EXT_vertex_input_dynamic_state, 2, 1)                                                                            \
    X(EXT_ycbcr_2plane_444_formats, 1, 1)                                                                              \
    X(EXT_ycbcr_image_arrays, 1, 1)                                                                                    \
    X(GOOGLE_decorate_string, 1, 1)                                                                                    \
    X(GOOGLE_hlsl_functionality1, 1, 1)                                                                                \
    X(GOOGLE_user_type, 1, 1)                                                                                          \
    X(QCOM_tile_properties, 1, 1)                                                                                      \
    X(VALVE_mutable_descriptor_type, 1, 1)

struct vc4vk_instance_extensions {
#define X(name, version, supported) bool name;
    VC4VK_INSTANCE_EXTENSIONS(X)
#undef X
};

struct vc4vk_device_extensions {
#define X(name, version, supported) bool name;
    VC4VK_DEVICE_EXTENSIONS(X)
#undef X
};

#endif
