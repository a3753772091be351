/* SPDX-License-Identifier: MIT
 *
 * Two tables of extensions: those without features, with their levels, and those of other software devices that are
 * missing. tests/api/info.py fails when a reported extension has neither a row nor features, when a missing one is
 * reported, and when the installed lavapipe reports one that is neither reported nor listed as missing.
 */
#include <string.h>
#include "device/vc4vk_extension_level.h"

/* clang-format off */
static const struct vc4vk_extension_info extensions[] = {
    {"VK_KHR_device_group_creation", VC4VK_UNSUPPORTED, "every device is a group of one"},
    {"VK_KHR_display", VC4VK_NATIVE, "the planes of the kernel's display controllers; the images are scanned out"},
    {"VK_KHR_external_fence_capabilities", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_external_memory_capabilities", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_external_semaphore_capabilities", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_get_display_properties2", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_get_physical_device_properties2", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_get_surface_capabilities2", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_surface", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_surface_protected_capabilities", VC4VK_UNSUPPORTED, "queries; no surface is protected"},
    {"VK_KHR_wayland_surface", VC4VK_NATIVE, "images are the compositor's buffers: dma-bufs, or shared memory that is copied to"},
    {"VK_KHR_xcb_surface", VC4VK_NATIVE, "images are pixmaps (DRI3), or shared memory that is copied to"},
    {"VK_KHR_xlib_surface", VC4VK_NATIVE, "as for XCB"},
    {"VK_EXT_acquire_drm_display", VC4VK_UNSUPPORTED, "a node that the application has opened"},
    {"VK_EXT_debug_utils", VC4VK_UNSUPPORTED, "messages, and names in reports and traces"},
    {"VK_EXT_direct_mode_display", VC4VK_UNSUPPORTED, "displays are given back"},
    {"VK_EXT_display_surface_counter", VC4VK_NATIVE, "the kernel's counter of vertical blanks"},
    {"VK_EXT_headless_surface", VC4VK_UNSUPPORTED, "images are shown to nobody"},
    {"VK_EXT_surface_maintenance1", VC4VK_UNSUPPORTED, "queries"},
    {"VK_EXT_swapchain_colorspace", VC4VK_UNSUPPORTED, "colours that pass through unchanged, where the surface can"},
    {"VK_KHR_bind_memory2", VC4VK_UNSUPPORTED, "as vkBindBufferMemory and vkBindImageMemory"},
    {"VK_KHR_calibrated_timestamps", VC4VK_NATIVE, "timestamps are those of CLOCK_MONOTONIC"},
    {"VK_KHR_copy_commands2", VC4VK_ON_CPU, "as the commands of Vulkan 1.0"},
    {"VK_KHR_create_renderpass2", VC4VK_UNSUPPORTED, "as vkCreateRenderPass"},
    {"VK_KHR_dedicated_allocation", VC4VK_UNSUPPORTED, "images that are shared or presented ask for it"},
    {"VK_KHR_depth_stencil_resolve", VC4VK_ON_CPU, "the CPU takes the first sample, the least or the greatest after the job"},
    {"VK_KHR_descriptor_update_template", VC4VK_UNSUPPORTED, "as vkUpdateDescriptorSets"},
    {"VK_KHR_device_group", VC4VK_UNSUPPORTED, "every device is a group of one"},
    {"VK_KHR_draw_indirect_count", VC4VK_LOWERED, "parameters and their number are read when a job is issued"},
    {"VK_KHR_driver_properties", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_external_fence", VC4VK_UNSUPPORTED, "see VK_KHR_external_fence_fd"},
    {"VK_KHR_external_fence_fd", VC4VK_NATIVE, "sync files, and payloads in shared memory"},
    {"VK_KHR_external_memory", VC4VK_UNSUPPORTED, "see VK_KHR_external_memory_fd"},
    {"VK_KHR_external_memory_fd", VC4VK_NATIVE, "the kernel's buffer objects as dma-bufs; of the model, sealed shared memory"},
    {"VK_KHR_external_semaphore", VC4VK_UNSUPPORTED, "see VK_KHR_external_semaphore_fd"},
    {"VK_KHR_external_semaphore_fd", VC4VK_NATIVE, "sync files, and payloads in shared memory"},
    {"VK_KHR_format_feature_flags2", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_get_memory_requirements2", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_image_format_list", VC4VK_UNSUPPORTED, "nothing depends on the list"},
    {"VK_KHR_incremental_present", VC4VK_ON_CPU, "where presentation copies, it copies what has changed"},
    {"VK_KHR_load_store_op_none", VC4VK_NATIVE, "what is not to change is loaded, because jobs store whole tiles"},
    {"VK_KHR_maintenance1", VC4VK_LOWERED, "negative viewports by the programs' scale; layers of 3D images"},
    {"VK_KHR_maintenance2", VC4VK_LOWERED, "views of blocks, and point clipping by programs"},
    {"VK_KHR_maintenance3", VC4VK_UNSUPPORTED, "queries"},
    {"VK_KHR_map_memory2", VC4VK_UNSUPPORTED, "as vkMapMemory"},
    {"VK_KHR_pipeline_library", VC4VK_UNSUPPORTED, "parts of pipelines that are put together"},
    {"VK_KHR_push_descriptor", VC4VK_LOWERED, "a set in memory of the recording"},
    {"VK_KHR_relaxed_block_layout", VC4VK_LOWERED, "programs compute addresses"},
    {"VK_KHR_sampler_mirror_clamp_to_edge", VC4VK_LOWERED, "programs compute such coordinates"},
    {"VK_KHR_shader_draw_parameters", VC4VK_LOWERED, "uniforms that are written when a job is issued"},
    {"VK_KHR_shader_float_controls", VC4VK_LOWERED, "modes that the chip's arithmetic has not are sequences of instructions"},
    {"VK_KHR_shader_non_semantic_info", VC4VK_ON_CPU, "debugPrintfEXT and source lines; other sets are skipped"},
    {"VK_KHR_spirv_1_4", VC4VK_LOWERED, "the compiler translates it"},
    {"VK_KHR_storage_buffer_storage_class", VC4VK_LOWERED, "as uniform blocks with BufferBlock"},
    {"VK_KHR_swapchain", VC4VK_NATIVE, "see the kinds of surfaces"},
    {"VK_KHR_swapchain_mutable_format", VC4VK_LOWERED, "programs convert colours, views convert texels"},
    {"VK_EXT_calibrated_timestamps", VC4VK_NATIVE, "timestamps are those of CLOCK_MONOTONIC"},
    {"VK_EXT_display_control", VC4VK_NATIVE, "the kernel's vertical blanks and power states"},
    {"VK_EXT_external_memory_dma_buf", VC4VK_NATIVE, "the kernel's buffer objects; of the model, memory that /dev/udmabuf shares, where the machine has it"},
    {"VK_EXT_external_memory_host", VC4VK_ON_CPU, "pages of the application are the model's memory; not on the chip"},
    {"VK_EXT_global_priority", VC4VK_LOWERED, "the scheduler orders the queues of a device by it"},
    {"VK_EXT_image_drm_format_modifier", VC4VK_NATIVE, "linear images, with the rows' distance that others chose; where there are dma-bufs"},
    {"VK_EXT_load_store_op_none", VC4VK_NATIVE, "what is not to change is loaded, because jobs store whole tiles"},
    {"VK_EXT_memory_budget", VC4VK_UNSUPPORTED, "queries"},
    {"VK_EXT_pipeline_creation_feedback", VC4VK_UNSUPPORTED, "the compiler's times"},
    {"VK_EXT_post_depth_coverage", VC4VK_NATIVE, "the chip tests depth before the program runs"},
    {"VK_EXT_queue_family_foreign", VC4VK_UNSUPPORTED, "as the external queue family"},
    {"VK_EXT_sampler_filter_minmax", VC4VK_LOWERED, "programs compare the texels"},
    {"VK_EXT_separate_stencil_usage", VC4VK_UNSUPPORTED, "nothing depends on the usage"},
    {"VK_EXT_shader_stencil_export", VC4VK_LOWERED, "programs set the stencil words up, once for each value of the batch"},
    {"VK_EXT_shader_subgroup_ballot", VC4VK_LOWERED, "the value goes through the lanes of the vector"},
    {"VK_EXT_shader_subgroup_vote", VC4VK_LOWERED, "flags of all lanes"},
    {"VK_EXT_shader_viewport_index_layer", VC4VK_LOWERED, "everything is drawn once for each, and fragments of the others are dropped"},
    {"VK_EXT_tooling_info", VC4VK_UNSUPPORTED, "queries"},
    {"VK_GOOGLE_decorate_string", VC4VK_UNSUPPORTED, "nothing depends on it"},
    {"VK_GOOGLE_hlsl_functionality1", VC4VK_UNSUPPORTED, "nothing depends on it"},
    {"VK_GOOGLE_user_type", VC4VK_UNSUPPORTED, "nothing depends on it"},
};

static const struct vc4vk_missing_extension missing[] = {
    {"VK_AMDX_shader_enqueue", "provisional"},
    {"VK_ANDROID_external_memory_android_hardware_buffer", "there is no driver for Android"},
    {"VK_ARM_rasterization_order_attachment_access", "as VK_EXT_rasterization_order_attachment_access"},
    {"VK_EXT_blend_operation_advanced", "not yet: programs blend, but colours of 64 bits need all channels at once"},
    {"VK_EXT_depth_range_unrestricted", "the tile buffer has 24 bits of depth between 0 and 1"},
    {"VK_EXT_device_generated_commands", "not yet"},
    {"VK_EXT_pipeline_library_group_handles", "no ray tracing"},
    {"VK_EXT_rasterization_order_attachment_access", "not yet beyond one colour attachment, which input attachments read from the tile buffer"},
    {"VK_KHR_acceleration_structure", "no ray tracing"},
    {"VK_KHR_deferred_host_operations", "no ray tracing, which alone uses it"},
    {"VK_KHR_internally_synchronized_queues", "not yet: newer than Debian's headers"},
    {"VK_KHR_ray_query", "no ray tracing"},
    {"VK_KHR_ray_tracing_maintenance1", "no ray tracing"},
    {"VK_KHR_ray_tracing_pipeline", "no ray tracing"},
    {"VK_KHR_ray_tracing_position_fetch", "no ray tracing"},
    {"VK_KHR_swapchain_maintenance1", "as VK_EXT_swapchain_maintenance1; newer than Debian's headers"},
    {"VK_KHR_unified_image_layouts", "not yet: newer than Debian's headers"},
};
/* clang-format on */

const struct vc4vk_extension_info *vc4vk_extension_info(const char *extension)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(extensions); i++)
        if (!strcmp(extensions[i].extension, extension))
            return &extensions[i];
    return NULL;
}

const struct vc4vk_missing_extension *vc4vk_missing_extensions(uint32_t *count_out)
{
    *count_out = ARRAY_SIZE(missing);
    return missing;
}
