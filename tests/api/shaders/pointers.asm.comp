; SPIR-V
; A variable pointer to one of two storage buffers: even invocations double word i of A, odd ones word i of B, and store what
; was there to the results. One workgroup of 16.
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%a = OpVariable %to_block StorageBuffer
%b = OpVariable %to_block StorageBuffer
%results = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%odd = OpBitwiseAnd %uint %i %n1
%is_odd = OpIEqual %bool %odd %n1
%a_i = OpAccessChain %to_uint %a %n0 %i
%b_i = OpAccessChain %to_uint %b %n0 %i
%chosen = OpSelect %to_uint %is_odd %b_i %a_i
%value = OpLoad %uint %chosen
%twice = OpIAdd %uint %value %value
OpStore %chosen %twice
%result = OpAccessChain %to_uint %results %n0 %i
OpStore %result %value
OpReturn
OpFunctionEnd
