; SPIR-V
; Version: 1.3
; OpImageQuerySizeLod of storage images, which is not valid: naga 30 has it for textureDimensions(). An image with layers
; and one without.
OpCapability Shader
OpCapability ImageQuery
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %plain DescriptorSet 0
OpDecorate %plain Binding 0
OpDecorate %layered DescriptorSet 0
OpDecorate %layered Binding 1
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%image_array = OpTypeImage %uint 2D 0 1 0 2 R32ui
%block = OpTypeStruct %uvec2 %uvec3
%to_image = OpTypePointer UniformConstant %image
%to_image_array = OpTypePointer UniformConstant %image_array
%to_block = OpTypePointer StorageBuffer %block
%to_uvec2 = OpTypePointer StorageBuffer %uvec2
%to_uvec3 = OpTypePointer StorageBuffer %uvec3
%plain = OpVariable %to_image UniformConstant
%layered = OpVariable %to_image_array UniformConstant
%out = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpLoad %image %plain
%b = OpLoad %image_array %layered
%size = OpImageQuerySizeLod %uvec2 %a %n0
%size_array = OpImageQuerySizeLod %uvec3 %b %n0
%to = OpAccessChain %to_uvec2 %out %n0
%to_array = OpAccessChain %to_uvec3 %out %n1
OpStore %to %size
OpStore %to_array %size_array
OpReturn
OpFunctionEnd
