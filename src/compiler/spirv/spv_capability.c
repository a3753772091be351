/* SPDX-License-Identifier: MIT
 *
 * The capabilities that programs may declare (docs/capabilities.md).
 */
#include <stdio.h>
#include "compiler/spirv/spv_module.h"

/* True also for capabilities that are refused where an instruction uses what is not supported of them. */
bool spv_takes_capability(uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityMatrix:
    case SpvCapabilityShader:
    case SpvCapabilityInputAttachment:
    case SpvCapabilitySampled1D:
    case SpvCapabilitySampledBuffer:
    case SpvCapabilityImageQuery:
    case SpvCapabilityDerivativeControl:
    case SpvCapabilitySampleRateShading:
    case SpvCapabilityInterpolationFunction:
    case SpvCapabilitySampledCubeArray:
    case SpvCapabilityImage1D:
    case SpvCapabilityImageCubeArray:
    case SpvCapabilityImageBuffer:
    case SpvCapabilityClipDistance:
    case SpvCapabilityCullDistance:
    case SpvCapabilityStorageImageExtendedFormats:
    case SpvCapabilityStorageImageMultisample:
    case SpvCapabilityImageMSArray:
    case SpvCapabilityStorageImageReadWithoutFormat:
    case SpvCapabilityStorageImageWriteWithoutFormat:
    case SpvCapabilityUniformBufferArrayDynamicIndexing:
    case SpvCapabilitySampledImageArrayDynamicIndexing:
    case SpvCapabilityStorageBufferArrayDynamicIndexing:
    case SpvCapabilityStorageImageArrayDynamicIndexing:
    case SpvCapabilityImageGatherExtended:
    case SpvCapabilityDemoteToHelperInvocationEXT:
    case SpvCapabilityFragmentShaderSampleInterlockEXT:
    case SpvCapabilityFragmentShaderPixelInterlockEXT:
    case SpvCapabilityStencilExportEXT:
    case SpvCapabilitySampleMaskPostDepthCoverage:
    case SpvCapabilityDrawParameters:
    case SpvCapabilityDeviceGroup:
    case SpvCapabilityMultiView:
    case SpvCapabilityMultiViewport:
    case SpvCapabilityGeometry: /* fragment shaders that read the layer or the viewport declare it, too */
    case SpvCapabilityGeometryPointSize:
    case SpvCapabilityGeometryStreams:
    case SpvCapabilityTessellation:
    case SpvCapabilityTessellationPointSize:
    case SpvCapabilityTransformFeedback:
    case SpvCapabilityShaderLayer:
    case SpvCapabilityShaderViewportIndex:
    case SpvCapabilityShaderViewportIndexLayerEXT:
    case SpvCapabilityShaderNonUniform:
    case SpvCapabilityUniformBufferArrayNonUniformIndexing:
    case SpvCapabilitySampledImageArrayNonUniformIndexing:
    case SpvCapabilityStorageBufferArrayNonUniformIndexing:
    case SpvCapabilityStorageImageArrayNonUniformIndexing:
    case SpvCapabilityInputAttachmentArrayDynamicIndexing:
    case SpvCapabilityInputAttachmentArrayNonUniformIndexing:
    case SpvCapabilityUniformTexelBufferArrayDynamicIndexing:
    case SpvCapabilityStorageTexelBufferArrayDynamicIndexing:
    case SpvCapabilityUniformTexelBufferArrayNonUniformIndexing:
    case SpvCapabilityStorageTexelBufferArrayNonUniformIndexing:
    case SpvCapabilityRuntimeDescriptorArray:
    case SpvCapabilityGroupNonUniform:
    case SpvCapabilityGroupNonUniformVote:
    case SpvCapabilityGroupNonUniformArithmetic:
    case SpvCapabilityGroupNonUniformBallot:
    case SpvCapabilityGroupNonUniformShuffle:
    case SpvCapabilityGroupNonUniformShuffleRelative:
    case SpvCapabilityGroupNonUniformClustered:
    case SpvCapabilityGroupNonUniformQuad:
    case SpvCapabilityGroupNonUniformRotateKHR:
    case SpvCapabilitySubgroupBallotKHR:
    case SpvCapabilitySubgroupVoteKHR:
    case SpvCapabilityShaderClockKHR:
    case SpvCapabilityQuadControlKHR:
    case SpvCapabilityExpectAssumeKHR:
    case SpvCapabilityReplicatedCompositesEXT:
    case SpvCapabilityComputeDerivativeGroupLinearKHR:
    case SpvCapabilityComputeDerivativeGroupQuadsKHR:
    case SpvCapabilityVulkanMemoryModel: /* loads and stores reach memory in program order */
    case SpvCapabilityVulkanMemoryModelDeviceScope:
    case SpvCapabilityDotProduct:
    case SpvCapabilityDotProductInputAll:
    case SpvCapabilityDotProductInput4x8Bit:
    case SpvCapabilityDotProductInput4x8BitPacked:
    case SpvCapabilityWorkgroupMemoryExplicitLayoutKHR:
    case SpvCapabilityAtomicFloat32AddEXT:
    case SpvCapabilityAtomicFloat32MinMaxEXT:
    case SpvCapabilityDenormFlushToZero: /* what of them is supported depends on the width, which the mode tells */
    case SpvCapabilityDenormPreserve:
    case SpvCapabilitySignedZeroInfNanPreserve:
    case SpvCapabilityRoundingModeRTE:
    case SpvCapabilityRoundingModeRTZ:
    case SpvCapabilityFloatControls2:  /* likewise */
    case SpvCapabilityMeshShadingEXT:  /* fragment shaders that read what belongs to primitives declare it, too */
    case SpvCapabilityFragmentShadingRateKHR: /* declared by tools for all mesh shaders that write to primitives */
    case SpvCapabilitySparseResidency: /* declared by tools whether an instruction needs them or not */
    case SpvCapabilityMinLod:
    case SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR:
    case SpvCapabilityStorageBuffer16BitAccess:
    case SpvCapabilityUniformAndStorageBuffer16BitAccess:
    case SpvCapabilityStoragePushConstant16:
    case SpvCapabilityStorageInputOutput16:
    case SpvCapabilityInt16:
    case SpvCapabilityFloat16:
    case SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:
    case SpvCapabilityStorageBuffer8BitAccess:
    case SpvCapabilityUniformAndStorageBuffer8BitAccess:
    case SpvCapabilityStoragePushConstant8:
    case SpvCapabilityInt8:
    case SpvCapabilityInt64Atomics:
    case SpvCapabilityInt64:
    case SpvCapabilityInt64ImageEXT: /* which implies Int64 */
    case SpvCapabilityFloat64:
    case SpvCapabilityVariablePointers:
    case SpvCapabilityVariablePointersStorageBuffer:
    case SpvCapabilityPhysicalStorageBufferAddresses:
        return true;
    default:
        return false;
    }
}

void spv_refuse_capability(char text[SPV_CAPABILITY_TEXT_B], uint32_t capability)
{
    const char *name = spv_capability_name(capability);
    if (name)
        snprintf(text, SPV_CAPABILITY_TEXT_B, "capability %s", name);
    else
        snprintf(text, SPV_CAPABILITY_TEXT_B, "capability %u", capability);
}
