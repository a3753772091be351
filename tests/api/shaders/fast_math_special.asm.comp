; SPIR-V
; Version: 1.3
; Arithmetic on zeros, infinities and NaN under a fast-math mode that allows nothing: row r of the results has 128 words, one
; for each invocation of one workgroup: the difference and the product of a pair, its unordered less, its ordered inequality,
; and a product that a decoration allows everything.
OpCapability Shader
OpCapability FloatControls2
OpExtension "SPV_KHR_float_controls2"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 128 1 1
OpExecutionModeId %main FPFastMathDefault %float %n0
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
OpDecorate %any FPFastMathMode NotNaN|NotInf|NSZ|AllowContract|AllowReassoc|AllowTransform
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
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
%n128 = OpConstant %uint 128
%n256 = OpConstant %uint 256
%n384 = OpConstant %uint 384
%n512 = OpConstant %uint 512
%zero = OpConstant %float 0.0
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
%difference = OpFSub %float %a %b
%product = OpFMul %float %a %b
%is_less = OpFUnordLessThan %bool %a %b
%is_other = OpFOrdNotEqual %bool %a %b
%less = OpSelect %float %is_less %one %zero
%other = OpSelect %float %is_other %one %zero
%any = OpFMul %float %a %b
%at1 = OpIAdd %uint %i %n128
%at2 = OpIAdd %uint %i %n256
%at3 = OpIAdd %uint %i %n384
%at4 = OpIAdd %uint %i %n512
%p0 = OpAccessChain %to_float %out %n0 %i
%p1 = OpAccessChain %to_float %out %n0 %at1
%p2 = OpAccessChain %to_float %out %n0 %at2
%p3 = OpAccessChain %to_float %out %n0 %at3
%p4 = OpAccessChain %to_float %out %n0 %at4
OpStore %p0 %difference
OpStore %p1 %product
OpStore %p2 %less
OpStore %p3 %other
OpStore %p4 %any
OpReturn
OpFunctionEnd
