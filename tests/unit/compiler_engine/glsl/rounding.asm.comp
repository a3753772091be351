; SPIR-V
; A float becomes three halves: rounded to nearest, rounded to zero by a decoration, and by that of a group.
OpCapability Shader
OpCapability StorageUniformBufferBlock16
OpExtension "SPV_KHR_16bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %halves ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %out_block BufferBlock
OpMemberDecorate %out_block 0 Offset 0
OpDecorate %in_block BufferBlock
OpMemberDecorate %in_block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 1
OpDecorate %to_zero FPRoundingMode RTZ
OpDecorate %group FPRoundingMode RTZ
%group = OpDecorationGroup
OpGroupDecorate %group %to_zero_too
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%halves = OpTypeRuntimeArray %half
%floats = OpTypeRuntimeArray %float
%out_block = OpTypeStruct %halves
%in_block = OpTypeStruct %floats
%to_out = OpTypePointer Uniform %out_block
%to_in = OpTypePointer Uniform %in_block
%to_half = OpTypePointer Uniform %half
%to_float = OpTypePointer Uniform %float
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_out Uniform
%from = OpVariable %to_in Uniform
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%source = OpAccessChain %to_float %from %n0 %i
%x = OpLoad %float %source
%nearest = OpFConvert %half %x
%to_zero = OpFConvert %half %x
%to_zero_too = OpFConvert %half %x
%at0 = OpIMul %uint %i %n3
%at1 = OpIAdd %uint %at0 %n1
%at2 = OpIAdd %uint %at0 %n2
%p0 = OpAccessChain %to_half %out %n0 %at0
%p1 = OpAccessChain %to_half %out %n0 %at1
%p2 = OpAccessChain %to_half %out %n0 %at2
OpStore %p0 %nearest
OpStore %p1 %to_zero
OpStore %p2 %to_zero_too
OpReturn
OpFunctionEnd
