; SPIR-V
; Version: 1.3
; The default mode of 32-bit floats allows reassociation; that of the second row, a decoration, does not.
; Both rows of the results are (x * 0.185253903) * 2.10468769 for 64 invocations.
OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability FloatControls2
OpExtension "SPV_KHR_float_controls2"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpExecutionModeId %main FPFastMathDefault %half %narrow_mode
OpExecutionModeId %main FPFastMathDefault %float %mode
OpExecutionModeId %main FPFastMathDefault %double %wide_mode
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
OpDecorate %c FPFastMathMode 0x7
OpDecorate %d FPFastMathMode 0x7
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%in = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%mode = OpConstant %uint 0x70007
%narrow_mode = OpConstant %uint 0x7
%wide_mode = OpConstant %uint 0
%n0 = OpConstant %uint 0
%n64 = OpConstant %uint 64
%c1 = OpConstant %float 0.185253903
%c2 = OpConstant %float 2.10468769
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%p = OpAccessChain %to_uint %in %n0 %n0
%number = OpLoad %uint %p
%x = OpConvertUToF %float %number
%a = OpFMul %float %x %c1
%b = OpFMul %float %a %c2
%c = OpFMul %float %x %c1
%d = OpFMul %float %c %c2
%b_word = OpBitcast %uint %b
%d_word = OpBitcast %uint %d
%p0 = OpAccessChain %to_uint %out %n0 %i
OpStore %p0 %b_word
%at1 = OpIAdd %uint %i %n64
%p1 = OpAccessChain %to_uint %out %n0 %at1
OpStore %p1 %d_word
OpReturn
OpFunctionEnd
