; SPIR-V
; Version: 1.3
; The product of a pair, which nothing decorates, less one, by a difference that has to preserve NaN: a word for each invocation
; of one workgroup.
OpCapability Shader
OpCapability FloatControls2
OpExtension "SPV_KHR_float_controls2"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
OpDecorate %difference FPFastMathMode NotInf|NSZ|AllowRecip|AllowContract|AllowReassoc|AllowTransform
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%words = OpTypeRuntimeArray %float
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_float = OpTypePointer StorageBuffer %float
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%in = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%one = OpConstant %float 1.0
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%twice = OpIMul %uint %i %n2
%after = OpIAdd %uint %twice %n1
%p_a = OpAccessChain %to_float %in %n0 %twice
%p_b = OpAccessChain %to_float %in %n0 %after
%a = OpLoad %float %p_a
%b = OpLoad %float %p_b
%product = OpFMul %float %a %b
%difference = OpFSub %float %product %one
%p = OpAccessChain %to_float %out %n0 %i
OpStore %p %difference
OpReturn
OpFunctionEnd
