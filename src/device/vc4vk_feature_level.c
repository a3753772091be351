/* SPDX-License-Identifier: MIT
 *
 * The table of implementation levels: one row for each reported feature. tests/api/info.py fails when a reported
 * feature has no row, and when a row outside of #ifdef has no reported feature. The levels of format features are
 * computed from the format.
 */
#include <string.h>
#include "device/vc4vk_feature_level.h"
#include "hw/codec.h"
#include "hw/tex.h"

/* clang-format off */
static const struct vc4vk_feature_info features[] = {
    /* Vulkan 1.0 */
    {"robustBufferAccess", VC4VK_LOWERED, "offsets are clamped by programs, vertices and indices when a job is issued"},
    {"fullDrawIndexUint32", VC4VK_LOWERED, "indices are rewritten to 16 bits when a job is issued"},
    {"imageCubeArray", VC4VK_LOWERED, "the program chooses face and layer"},
    {"independentBlend", VC4VK_LOWERED, "programs blend; every target is a replay with a program of its own"},
    {"dualSrcBlend", VC4VK_LOWERED, "programs blend"},
    {"logicOp", VC4VK_LOWERED, "programs combine the words"},
    {"geometryShader", VC4VK_ON_CPU, "runs on the CPU engine when a draw is issued; the chip draws what it emits"},
    {"tessellationShader", VC4VK_ON_CPU, "runs on the CPU engine when a draw is issued; the CPU divides the patches"},
    {"shaderTessellationAndGeometryPointSize", VC4VK_NATIVE, "as the point size of vertex shaders"},
    {"sampleRateShading", VC4VK_LOWERED, "every draw is made once for each sample"},
    {"multiViewport", VC4VK_LOWERED, "primitives are drawn one by one, once for each viewport"},
    {"fillModeNonSolid", VC4VK_LOWERED, "triangles become lines or points when a job is issued"},
    {"depthClamp", VC4VK_LOWERED, "the program writes the clamped depth"},
    {"depthBiasClamp", VC4VK_LOWERED, "vertex programs see the triangle and add to its depth"},
    {"wideLines", VC4VK_NATIVE, "lines with a width"},
    {"largePoints", VC4VK_NATIVE, "points with a size"},
    {"alphaToOne", VC4VK_LOWERED, "by the program"},
    {"multiDrawIndirect", VC4VK_LOWERED, "parameters are read when a job is issued"},
    {"drawIndirectFirstInstance", VC4VK_LOWERED, "parameters are read when a job is issued"},
    {"occlusionQueryPrecise", VC4VK_LOWERED, "counted draws are replayed into a surface of counters"},
    {"inheritedQueries", VC4VK_LOWERED, "as queries in primaries"},
    {"pipelineStatisticsQuery", VC4VK_ON_CPU, "the whole pass runs on the CPU engine, which counts fragments"},
    {"samplerAnisotropy", VC4VK_LOWERED, "several lookups along the longer axis"},
    {"textureCompressionETC2", VC4VK_LOWERED, "decoded by the CPU as blocks are copied in"},
    {"textureCompressionASTC_LDR", VC4VK_LOWERED, "decoded by the CPU as blocks are copied in, to 8 bits per channel"},
    {"textureCompressionBC", VC4VK_LOWERED, "decoded by the CPU as blocks are copied in"},
    {"vertexPipelineStoresAndAtomics", VC4VK_ON_CPU, "the whole pass runs on the CPU engine"},
    {"fragmentStoresAndAtomics", VC4VK_ON_CPU, "the whole pass runs on the CPU engine"},
    {"shaderImageGatherExtended", VC4VK_LOWERED, "four lookups, also with offsets of their own"},
    {"shaderClipDistance", VC4VK_LOWERED, "a varying whose negative fragments are discarded"},
    {"shaderCullDistance", VC4VK_LOWERED, "vertex programs see the triangle and drop it"},
    {"shaderFloat64", VC4VK_LOWERED, "code of 32-bit integers; what has more values than registers, on the CPU engine"},
    {"shaderInt64", VC4VK_LOWERED, "code of 32-bit integers; as shaderFloat64"},
    {"shaderInt16", VC4VK_LOWERED, "words, extended where an instruction looks at the upper bits"},
    {"shaderResourceMinLod", VC4VK_LOWERED, "the program computes the level of detail and bounds it"},
    {"shaderUniformBufferArrayDynamicIndexing", VC4VK_LOWERED, "the program reads the table"},
    {"shaderSampledImageArrayDynamicIndexing", VC4VK_LOWERED, "the program chooses the texture's parameters"},
    {"shaderStorageBufferArrayDynamicIndexing", VC4VK_LOWERED, "the program reads the table"},
    {"shaderStorageImageArrayDynamicIndexing", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderStorageImageExtendedFormats", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderStorageImageMultisample", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderStorageImageReadWithoutFormat", VC4VK_ON_CPU, "the program reads the format from the descriptor"},
    {"shaderStorageImageWriteWithoutFormat", VC4VK_ON_CPU, "the program reads the format from the descriptor"},
    {"sparseBinding", VC4VK_ON_CPU, "blocks are mapped to the pages of the bound memory; only on the model"},
    {"sparseResidencyBuffer", VC4VK_ON_CPU, "unbound blocks have pages of their own, which nothing else shows"},
    {"sparseResidencyAliased", VC4VK_ON_CPU, "the same pages are mapped several times"},
    /* Later versions and extensions */
    {"attachmentFeedbackLoopLayout", VC4VK_LOWERED, "jobs end at barriers, so that memory has what was drawn"},
#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
    {"attachmentFeedbackLoopDynamicState", VC4VK_LOWERED, "jobs end at barriers, so that memory has what was drawn"},
#endif
#ifdef VK_EXT_depth_bias_control
    {"depthBiasControl", VC4VK_LOWERED, "an instance of the pipeline for each unit of the constant"},
    {"floatRepresentation", VC4VK_LOWERED, "vertex programs see the triangle and add to its depth"},
    {"leastRepresentableValueForceUnormRepresentation", VC4VK_NATIVE, "depth has 24 bits in all formats"},
#endif
    {"depthClampZeroOne", VC4VK_LOWERED, "programs clamp the depth that they write"},
    {"imageCompressionControl", VC4VK_NATIVE, "images are never compressed"},
#ifdef VK_EXT_nested_command_buffer
    {"nestedCommandBuffer", VC4VK_NATIVE, "the list of the executing command buffer refers to the commands"},
    {"nestedCommandBufferRendering", VC4VK_NATIVE, "a secondary takes the parts of passes of another one"},
    {"nestedCommandBufferSimultaneousUse", VC4VK_NATIVE, "what is recorded is never modified"},
#endif
    {"borderColorSwizzle", VC4VK_NATIVE, "the border is a texel of the view, which programs swizzle"},
    {"bresenhamLines", VC4VK_NATIVE, "the chip's lines, with a width of whole pixels and all samples alike"},
    {"borderColorSwizzleFromImage", VC4VK_NATIVE, "the border is a texel of the view, which programs swizzle"},
    {"bufferDeviceAddress", VC4VK_ON_CPU, "programs with addresses run on the CPU engine, in whose map they are"},
    {"bufferDeviceAddressCaptureReplay", VC4VK_ON_CPU, "such memory has a part of the address space to itself"},
    {"colorWriteEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs write less"},
#ifdef VK_KHR_compute_shader_derivatives
    {"computeDerivativeGroupQuads", VC4VK_ON_CPU, "compute runs on the CPU engine, which gives the lanes of a quad 2 x 2 invocations"},
    {"computeDerivativeGroupLinear", VC4VK_ON_CPU, "compute runs on the CPU engine, whose quads are lanes that follow each other"},
#endif
    {"computeFullSubgroups", VC4VK_ON_CPU, "compute runs on the CPU engine, whose subgroups are full where they can be"},
    {"geometryStreams", VC4VK_ON_CPU, "the CPU stores what the geometry program has emitted to each stream"},
    {"transformFeedback", VC4VK_ON_CPU, "the CPU stores what the vertex program has written when a draw is issued"},
    {"transformFeedbackPreservesProvokingVertex", VC4VK_ON_CPU, "primitives are captured vertex by vertex in the order for the mode"},
    {"conditionalRendering", VC4VK_LOWERED, "the condition is read when a job is issued"},
    {"customBorderColors", VC4VK_NATIVE, "the border colour is a word that is packed for each view"},
    {"customBorderColorWithoutFormat", VC4VK_NATIVE, "the border colour is a word that is packed for each view"},
    {"depthClipControl", VC4VK_NATIVE, "the chip's own clip volume; the vertex program leaves out the conversion to it"},
    {"depthClipEnable", VC4VK_LOWERED, "the program writes the depth, which no plane has clipped"},
    {"descriptorBuffer", VC4VK_ON_CPU, "programs of the CPU engine read descriptors, which hold addresses"},
    {"descriptorBufferImageLayoutIgnored", VC4VK_NATIVE, "descriptors do not depend on the layout"},
    {"descriptorBufferPushDescriptors", VC4VK_LOWERED, "a set in memory of the recording, beside those in buffers"},
    {"descriptorBindingInlineUniformBlockUpdateAfterBind", VC4VK_LOWERED, "programs read the bytes when they run"},
    {"descriptorBindingUniformBufferUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingSampledImageUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingStorageImageUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingStorageBufferUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingUniformTexelBufferUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingStorageTexelBufferUpdateAfterBind", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingUpdateUnusedWhilePending", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingPartiallyBound", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorBindingVariableDescriptorCount", VC4VK_ON_CPU, "programs read descriptors in memory of the set"},
    {"descriptorIndexing", VC4VK_LOWERED, "all of VK_EXT_descriptor_indexing"},
    {"deviceFault", VC4VK_NATIVE, "the scheduler remembers the command that failed"},
    {"drawIndirectCount", VC4VK_LOWERED, "parameters and their number are read when a job is issued"},
    {"dynamicRendering", VC4VK_NATIVE, "described as a render pass of one subpass when it begins"},
#ifdef VK_KHR_dynamic_rendering_local_read
    {"dynamicRenderingLocalRead", VC4VK_LOWERED, "the only colour attachment: from the tile buffer; others are stored and sampled"},
#endif
#ifdef VK_EXT_dynamic_rendering_unused_attachments
    {"dynamicRenderingUnusedAttachments", VC4VK_LOWERED, "an instance of the pipeline, whose programs write to the attachments of both"},
#endif
    {"extendedDynamicState", VC4VK_LOWERED, "an instance of the pipeline for each combination that is drawn with"},
    {"extendedDynamicState2", VC4VK_LOWERED, "an instance of the pipeline for each combination that is drawn with"},
    {"extendedDynamicState2LogicOp", VC4VK_LOWERED, "an instance of the pipeline, whose programs combine the words"},
    {"extendedDynamicState2PatchControlPoints", VC4VK_LOWERED, "patches are cut when a job is issued"},
    {"extendedDynamicState3AlphaToCoverageEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs compute the coverage"},
    {"extendedDynamicState3AlphaToOneEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs replace alpha"},
    {"extendedDynamicState3ColorBlendEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs blend"},
    {"extendedDynamicState3ColorBlendEquation", VC4VK_LOWERED, "an instance of the pipeline, whose programs blend"},
    {"extendedDynamicState3ColorWriteMask", VC4VK_LOWERED, "an instance of the pipeline, whose programs write less"},
    {"extendedDynamicState3DepthClampEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs write the clamped depth"},
    {"extendedDynamicState3DepthClipEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs write the depth"},
    {"extendedDynamicState3LineRasterizationMode", VC4VK_LOWERED, "an instance of the pipeline, with its own vertex programs or packets"},
    {"extendedDynamicState3LineStippleEnable", VC4VK_ON_CPU, "an instance of the pipeline, whose vertex programs run on the CPU engine"},
    {"extendedDynamicState3LogicOpEnable", VC4VK_LOWERED, "an instance of the pipeline, whose programs combine the words"},
    {"extendedDynamicState3PolygonMode", VC4VK_LOWERED, "an instance of the pipeline, whose triangles become lines or points when a job is issued"},
    {"extendedDynamicState3ProvokingVertexMode", VC4VK_LOWERED, "an instance of the pipeline, whose indices are rewritten or not"},
    {"extendedDynamicState3TessellationDomainOrigin", VC4VK_LOWERED, "the tessellator orders triangles when a job is issued"},
    {"extendedDynamicState3DepthClipNegativeOneToOne", VC4VK_LOWERED, "an instance of the pipeline, whose vertex programs convert clip space or not"},
    {"extendedDynamicState3RasterizationStream", VC4VK_LOWERED, "an instance of the pipeline, which draws what was emitted to that stream"},
    {"extendedDynamicState3RasterizationSamples", VC4VK_LOWERED, "an instance of the pipeline, with its own programs and packets"},
    {"extendedDynamicState3SampleMask", VC4VK_LOWERED, "an instance of the pipeline, whose programs take the mask as a uniform"},
    {"formatA4R4G4B4", VC4VK_NATIVE, "the texture unit has such texels; rendered as words, as all of 16 bits"},
    {"formatA4B4G4R4", VC4VK_NATIVE, "the texture unit has such texels; rendered as words, as all of 16 bits"},
    {"fragmentShaderPixelInterlock", VC4VK_ON_CPU, "fragments at one pixel run one after another, in the order of primitives"},
    {"fragmentShaderSampleInterlock", VC4VK_ON_CPU, "fragments at one pixel run one after another, in the order of primitives"},
    {"globalPriorityQuery", VC4VK_LOWERED, "the scheduler orders the queues of a device by it"},
    {"graphicsPipelineLibrary", VC4VK_NATIVE, "parts are kept, and compiled together when they are linked"},
#ifdef VK_EXT_host_image_copy
    {"hostImageCopy", VC4VK_NATIVE, "images are mapped; the CPU makes all copies, on whatever thread"},
#endif
    {"hostQueryReset", VC4VK_LOWERED, "results lie in memory of the driver"},
    {"imagelessFramebuffer", VC4VK_NATIVE, "views are named when the pass begins"},
    {"inlineUniformBlock", VC4VK_LOWERED, "a uniform buffer in memory of the descriptor pool"},
    {"indexTypeUint8", VC4VK_LOWERED, "indices are rewritten to 16 bits when a job is issued"},
    {"inheritedConditionalRendering", VC4VK_LOWERED, "secondaries are executed by reference, with the condition of the primary"},
    {"legacyDithering", VC4VK_LOWERED, "programs add a pattern to channels of less than eight bits"},
#ifdef VK_EXT_legacy_vertex_attributes
    {"legacyVertexAttributes", VC4VK_NATIVE, "arrays begin at any byte; formats are decoded whatever the input's type is"},
#endif
    {"maintenance4", VC4VK_NATIVE, "requirements are those of an object made for the question"},
#ifdef VK_KHR_maintenance5
    {"maintenance5", VC4VK_NATIVE, "ends of index buffers bound what is read when a job is issued"},
#endif
#ifdef VK_KHR_maintenance6
    {"maintenance6", VC4VK_NATIVE, "commands for several stages are the older ones, one after the other"},
#endif
#ifdef VK_KHR_maintenance7
    {"maintenance7", VC4VK_NATIVE, "draws of secondary command buffers are sections of the primary's jobs"},
#endif
#ifdef VK_KHR_maintenance8
    {"maintenance8", VC4VK_ON_CPU, "copies between depths and colours and blits between slices and layers are the CPU's"},
#endif
    {"memoryPriority", VC4VK_NATIVE, "a hint: there is one heap, from which nothing is moved"},
    {"meshShader", VC4VK_ON_CPU, "runs on the CPU engine when a draw is issued; the chip draws its primitives"},
    {"meshShaderQueries", VC4VK_ON_CPU, "counted when a draw is issued"},
    {"multiDraw", VC4VK_NATIVE, "single draws that have numbers"},
    {"multisampledRenderToSingleSampled", VC4VK_NATIVE, "the tile buffer replicates pixels and resolves bytes; else the CPU does"},
    {"multiview", VC4VK_LOWERED, "views are drawn one by one"},
    {"multiviewGeometryShader", VC4VK_ON_CPU, "the program runs for each view"},
    {"multiviewMeshShader", VC4VK_ON_CPU, "the programs run for each view"},
    {"multiviewTessellationShader", VC4VK_ON_CPU, "the programs run for each view"},
    {"mutableDescriptorType", VC4VK_LOWERED, "every element has room for any type"},
    {"nullDescriptor", VC4VK_LOWERED, "descriptors of no texels and no bytes"},
    {"pageableDeviceLocalMemory", VC4VK_NATIVE, "a hint: there is one heap, from which nothing is moved"},
    {"performanceCounterQueryPools", VC4VK_NATIVE, "the kernel's monitors; what the CPU engine runs is not counted"},
    {"performanceCounterMultipleQueryPools", VC4VK_NATIVE, "a monitor for each query"},
    {"pipelineCreationCacheControl", VC4VK_NATIVE, "programs that no cache has are not compiled"},
    {"pipelineProtectedAccess", VC4VK_NATIVE, "flags that mean nothing where there is no protected memory"},
    {"pipelineRobustness", VC4VK_LOWERED, "part of what programs are compiled for"},
    {"pipelineExecutableInfo", VC4VK_NATIVE, "numbers and code of the programs"},
    {"presentId", VC4VK_NATIVE, "the presenter keeps the number of each image"},
    {"presentWait", VC4VK_NATIVE, "the presenter wakes the waiting threads"},
    {"primitiveTopologyListRestart", VC4VK_LOWERED, "lists are cut when a job is issued"},
    {"primitiveTopologyPatchListRestart", VC4VK_ON_CPU, "lists are cut when a job is issued"},
    {"image2DViewOf3D", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"sampler2DViewOf3D", VC4VK_LOWERED, "the program computes addresses of texels"},
#ifdef VK_EXT_image_sliced_view_of_3d
    {"imageSlicedViewOf3D", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
#endif
    {"shaderOutputViewportIndex", VC4VK_LOWERED, "everything is drawn once for each viewport, and fragments of the others are dropped"},
    {"shaderOutputLayer", VC4VK_LOWERED, "everything is drawn once for each layer, and fragments of the others are dropped"},
    {"nonSeamlessCubeMap", VC4VK_LOWERED, "the program chooses face and texels"},
    {"primitivesGeneratedQuery", VC4VK_ON_CPU, "primitives are counted as a job is built for the CPU engine"},
    {"primitivesGeneratedQueryWithRasterizerDiscard", VC4VK_ON_CPU, "the same"},
    {"primitivesGeneratedQueryWithNonZeroStreams", VC4VK_ON_CPU, "the same"},
    {"privateData", VC4VK_NATIVE, "tables of the driver, by numbers that objects have"},
    {"provokingVertexLast", VC4VK_NATIVE, "the chip's own; indices are rewritten where the first vertex provokes"},
#ifdef VK_VERSION_1_4
    {"pushDescriptor", VC4VK_LOWERED, "a set in memory of the recording"},
#endif
    {"rectangularLines", VC4VK_LOWERED, "two triangles for each line; vertex programs place their corners"},
    {"reportAddressBinding", VC4VK_NATIVE, "messengers are told when addresses come and go"},
    {"robustBufferAccess2", VC4VK_LOWERED, "programs compare offsets with the size"},
    {"robustImageAccess", VC4VK_LOWERED, "programs compare coordinates with the size"},
    {"robustImageAccess2", VC4VK_LOWERED, "programs compare coordinates with the size"},
    {"samplerFilterMinmax", VC4VK_LOWERED, "programs compare the texels"},
    {"samplerMirrorClampToEdge", VC4VK_LOWERED, "programs compute such coordinates"},
    {"samplerYcbcrConversion", VC4VK_LOWERED, "programs look up the planes and convert"},
    {"scalarBlockLayout", VC4VK_LOWERED, "programs compute addresses"},
    {"separateDepthStencilLayouts", VC4VK_NATIVE, "layouts mean nothing to the chip"},
    {"runtimeDescriptorArray", VC4VK_LOWERED, "the layout tells the length; arrays in memory of sets: CPU engine"},
    {"shaderInputAttachmentArrayDynamicIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names"},
    {"shaderInputAttachmentArrayNonUniformIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names"},
    {"shaderSampledImageArrayNonUniformIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names; arrays in memory of sets: CPU engine"},
    {"shaderStorageBufferArrayNonUniformIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names; arrays in memory of sets: CPU engine"},
    {"shaderStorageImageArrayNonUniformIndexing", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderStorageTexelBufferArrayDynamicIndexing", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderStorageTexelBufferArrayNonUniformIndexing", VC4VK_ON_CPU, "programs with storage images run on the CPU engine"},
    {"shaderUniformBufferArrayNonUniformIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names; arrays in memory of sets: CPU engine"},
    {"shaderUniformTexelBufferArrayDynamicIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names; arrays in memory of sets: CPU engine"},
    {"shaderUniformTexelBufferArrayNonUniformIndexing", VC4VK_LOWERED, "a lookup for each element that a lane names; arrays in memory of sets: CPU engine"},
    {"shaderBufferInt64Atomics", VC4VK_ON_CPU, "programs with atomics run on the CPU engine"},
    {"shaderDeviceClock", VC4VK_ON_CPU, "programs that read a clock run on the CPU engine"},
    {"shaderBufferFloat32Atomics", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderBufferFloat32AtomicAdd", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderBufferFloat32AtomicMinMax", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderImageFloat32Atomics", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderImageFloat32AtomicAdd", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderImageFloat32AtomicMinMax", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderSharedFloat32Atomics", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderSharedFloat32AtomicAdd", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderSharedFloat32AtomicMinMax", VC4VK_ON_CPU, "the add unit, under the mutex"},
    {"shaderDemoteToHelperInvocation", VC4VK_ON_CPU, "programs that ask for it run on the CPU engine"},
    {"shaderDrawParameters", VC4VK_LOWERED, "uniforms of the draw"},
#ifdef VK_KHR_shader_expect_assume
    {"shaderExpectAssume", VC4VK_NATIVE, "hints, of which nothing is made"},
#endif
    {"shaderFloat16", VC4VK_LOWERED, "computed as 32-bit floats and rounded by integer operations"},
#ifdef VK_KHR_shader_float_controls2
    {"shaderFloatControls2", VC4VK_LOWERED, "programs test for NaN and infinities; exact arithmetic is not rewritten"},
#endif
    {"shaderInt8", VC4VK_LOWERED, "words, extended where an instruction looks at the upper bits"},
    {"shaderImageInt64Atomics", VC4VK_ON_CPU, "programs with atomics run on the CPU engine"},
    {"shaderIntegerDotProduct", VC4VK_LOWERED, "multiplications and additions, of bytes by free unpacks"},
#ifdef VK_KHR_shader_maximal_reconvergence
    {"shaderMaximalReconvergence", VC4VK_NATIVE, "lanes run together again where control flow merges"},
#endif
#ifdef VK_KHR_shader_quad_control
    {"shaderQuadControl", VC4VK_LOWERED, "votes are rotations of the vector; the chip runs whole quads"},
#endif
#ifdef VK_KHR_shader_relaxed_extended_instruction
    {"shaderRelaxedExtendedInstruction", VC4VK_NATIVE, "sets that compute nothing are left out"},
#endif
#ifdef VK_EXT_shader_replicated_composites
    {"shaderReplicatedComposites", VC4VK_NATIVE, "the constituents share their values"},
#endif
    {"shaderSharedInt64Atomics", VC4VK_ON_CPU, "programs with atomics run on the CPU engine"},
    {"shaderSubgroupClock", VC4VK_ON_CPU, "programs that read a clock run on the CPU engine"},
#ifdef VK_EXT_shader_object
    {"shaderObject", VC4VK_LOWERED, "shaders that are drawn with get a pipeline, and an instance of it for each state"},
#endif
    {"shaderSubgroupExtendedTypes", VC4VK_LOWERED, "as those of words; numbers of 64 bits are two of them"},
#ifdef VK_KHR_shader_subgroup_rotate
    {"shaderSubgroupRotate", VC4VK_LOWERED, "the value goes through the lanes of the vector"},
    {"shaderSubgroupRotateClustered", VC4VK_LOWERED, "the value goes through the lanes of the vector"},
#endif
    {"shaderSubgroupUniformControlFlow", VC4VK_NATIVE, "lanes run together again where control flow merges"},
    {"shaderTerminateInvocation", VC4VK_LOWERED, "the program takes the coverage away, as for discard"},
    {"shaderZeroInitializeWorkgroupMemory", VC4VK_ON_CPU, "the program stores zero first"},
    {"smoothLines", VC4VK_LOWERED, "larger rectangles, whose programs multiply alpha by the coverage of the pixel"},
    {"stippledBresenhamLines", VC4VK_ON_CPU, "vertex programs run on the CPU engine; the CPU finds where each line's pattern begins"},
    {"stippledRectangularLines", VC4VK_ON_CPU, "vertex programs run on the CPU engine; the CPU finds where each line's pattern begins"},
    {"stippledSmoothLines", VC4VK_ON_CPU, "vertex programs run on the CPU engine; the CPU finds where each line's pattern begins"},
    {"storageBuffer16BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"storageBuffer8BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"storageInputOutput16", VC4VK_LOWERED, "numbers of 32 bits between stages; halves of attributes and colours as they are"},
    {"storagePushConstant16", VC4VK_LOWERED, "parts of the words that the stream has"},
    {"storagePushConstant8", VC4VK_LOWERED, "parts of the words that the stream has"},
    {"subgroupBroadcastDynamicId", VC4VK_LOWERED, "the value goes through the lanes of the vector"},
    {"subgroupSizeControl", VC4VK_NATIVE, "the lanes of a QPU are the only size"},
    {"swapchainMaintenance1", VC4VK_NATIVE, "each image has its own mode; present fences are signalled by the last job"},
    {"synchronization2", VC4VK_LOWERED, "stages are the engines that do their work"},
    {"taskShader", VC4VK_ON_CPU, "runs on the CPU engine when a draw is issued"},
    {"texelBufferAlignment", VC4VK_LOWERED, "programs compute the addresses of words"},
    {"tileProperties", VC4VK_NATIVE, "the tiles of the tile buffer, by the number of samples"},
    {"timelineSemaphore", VC4VK_LOWERED, "payloads are sets of timestamps of a queue's rings"},
    {"uniformAndStorageBuffer16BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"uniformAndStorageBuffer8BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"uniformBufferStandardLayout", VC4VK_LOWERED, "programs compute addresses"},
    {"variablePointers", VC4VK_ON_CPU, "programs whose pointers are values run on the CPU engine"},
    {"variablePointersStorageBuffer", VC4VK_ON_CPU, "programs whose pointers are values run on the CPU engine"},
    {"vertexAttributeInstanceRateDivisor", VC4VK_LOWERED, "what instances have is gathered when a job is issued"},
    {"vertexAttributeInstanceRateZeroDivisor", VC4VK_LOWERED, "what instances have is gathered when a job is issued"},
    {"vertexInputDynamicState", VC4VK_LOWERED, "an instance of the pipeline, whose programs convert such vertices"},
    {"vulkanMemoryModel", VC4VK_ON_CPU, "memory is as the program's order has it"},
    {"vulkanMemoryModelDeviceScope", VC4VK_ON_CPU, "memory is as the program's order has it"},
    {"vulkanMemoryModelAvailabilityVisibilityChains", VC4VK_ON_CPU, "memory is as the program's order has it"},
    {"workgroupMemoryExplicitLayout", VC4VK_ON_CPU, "programs compute addresses"},
    {"workgroupMemoryExplicitLayout16BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"workgroupMemoryExplicitLayout8BitAccess", VC4VK_ON_CPU, "compute runs on the CPU engine"},
    {"workgroupMemoryExplicitLayoutScalarBlockLayout", VC4VK_ON_CPU, "programs compute addresses"},
    {"ycbcr2plane444Formats", VC4VK_LOWERED, "programs look up the planes and convert"},
    {"ycbcrImageArrays", VC4VK_LOWERED, "the program computes addresses of texels"},
};
/* clang-format on */

const char *vc4vk_feature_level_name(enum vc4vk_feature_level level)
{
    static const char *const names[] = {"-", "native", "lowered", "CPU"};
    return names[level];
}

const struct vc4vk_feature_info *vc4vk_feature_info(const char *feature)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(features); i++)
        if (!strcmp(features[i].feature, feature))
            return &features[i];
    return NULL;
}

/* The texture unit samples images of this format directly: it returns four 8-bit channels and the program has nothing
 * left to convert. */
static bool is_sampled_by_the_unit(enum hw_format format)
{
    uint8_t swizzle[4];
    int type = hw_tex_type_for_format(format, swizzle);
    return type >= 0 && type <= HW_TEX_LUMALPHA && !hw_codec_decoded(format) && !hw_format_is_srgb(format);
}

static enum vc4vk_feature_level image_feature_level(const struct vc4vk_format *format, VkFormatFeatureFlagBits feature)
{
    switch (feature) {
    case VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT:
    case VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT:
        return is_sampled_by_the_unit(format->hw) ? VC4VK_NATIVE : VC4VK_LOWERED;
    case VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT:
        return format->hw == HW_FORMAT_R8G8B8A8_UNORM || format->hw == HW_FORMAT_B8G8R8A8_UNORM ? VC4VK_NATIVE
                                                                                                  : VC4VK_LOWERED;
    case VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT:
        return format->vk == VK_FORMAT_D24_UNORM_S8_UINT ? VC4VK_NATIVE : VC4VK_LOWERED;
    case VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT:
        return VC4VK_LOWERED;
    default: /* storage, blits, copies */
        return VC4VK_ON_CPU;
    }
}

static enum vc4vk_feature_level buffer_feature_level(const struct vc4vk_format *format, VkFormatFeatureFlagBits feature)
{
    switch (feature) {
    case VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT: /* the vertex pipe moves words */
        return hw_format_info(format->hw)->channel[0].bits == 32 ? VC4VK_NATIVE : VC4VK_LOWERED;
    case VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT:
        return VC4VK_LOWERED;
    default:
        return VC4VK_ON_CPU;
    }
}

enum vc4vk_feature_level vc4vk_format_feature_level(const struct vc4vk_format *format,
                                                    VkFormatFeatureFlagBits feature, bool in_buffers)
{
    VkFormatFeatureFlags supported =
        in_buffers ? vc4vk_format_buffer_features(format) : vc4vk_format_optimal_features(format);
    if (!(supported & feature))
        return VC4VK_UNSUPPORTED;
    return in_buffers ? buffer_feature_level(format, feature) : image_feature_level(format, feature);
}
