; SPIR-V
; Version: 1.6
; Image operands that do not change a result, with reads and stores of a storage image.
OpCapability Shader
OpCapability StorageImageReadWithoutFormat
OpCapability StorageImageWriteWithoutFormat
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %id %stored
OpExecutionMode %main LocalSize 4 4 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %stored DescriptorSet 0
OpDecorate %stored Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%vec4 = OpTypeVector %float 4
%workgroup = OpConstant %uint 2
%image = OpTypeImage %float 2D 0 0 0 2 Unknown
%to_image = OpTypePointer UniformConstant %image
%in_uvec3 = OpTypePointer Input %uvec3
%stored = OpVariable %to_image UniformConstant
%id = OpVariable %in_uvec3 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uvec3 %id
%at = OpVectorShuffle %uvec2 %ids %ids 0 1
%i = OpLoad %image %stored
%a = OpImageRead %vec4 %i %at Nontemporal
%b = OpImageRead %vec4 %i %at MakeTexelVisible|NonPrivateTexel|VolatileTexel|Nontemporal %workgroup
%sum = OpFAdd %vec4 %a %b
OpImageWrite %i %at %a Nontemporal
OpImageWrite %i %at %sum MakeTexelAvailable|NonPrivateTexel|VolatileTexel|Nontemporal %workgroup
OpReturn
OpFunctionEnd
