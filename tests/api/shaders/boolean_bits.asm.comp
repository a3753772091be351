; SPIR-V
; Version: 1.0
; Operations on integers with operands that are booleans, which is invalid, and is what Halide writes. Word i of the results
; has a bit for each operation on bits 0 and 1 of i.
OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%bvec2 = OpTypeVector %bool 2
%uint = OpTypeInt 32 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n4 = OpConstant %uint 4
%n8 = OpConstant %uint 8
%n16 = OpConstant %uint 16
%n32 = OpConstant %uint 32
%n64 = OpConstant %uint 64
%n128 = OpConstant %uint 128
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%i0 = OpBitwiseAnd %uint %i %n1
%i1 = OpBitwiseAnd %uint %i %n2
%a = OpINotEqual %bool %i0 %n0
%b = OpINotEqual %bool %i1 %n0
%or = OpBitwiseOr %bool %a %b
%xor = OpBitwiseXor %bool %a %b
%and = OpBitwiseAnd %bool %a %b
%not = OpNot %bool %a
%same = OpIEqual %bool %a %b
%other = OpINotEqual %bool %a %b
%ab = OpCompositeConstruct %bvec2 %a %b
%ba = OpCompositeConstruct %bvec2 %b %not
%both = OpBitwiseOr %bvec2 %ab %ba
%both0 = OpCompositeExtract %bool %both 0
%both1 = OpCompositeExtract %bool %both 1
%w0 = OpSelect %uint %or %n1 %n0
%w1 = OpSelect %uint %xor %n2 %n0
%w2 = OpSelect %uint %and %n4 %n0
%w3 = OpSelect %uint %not %n8 %n0
%w4 = OpSelect %uint %same %n16 %n0
%w5 = OpSelect %uint %other %n32 %n0
%w6 = OpSelect %uint %both0 %n64 %n0
%w7 = OpSelect %uint %both1 %n128 %n0
%s1 = OpBitwiseOr %uint %w0 %w1
%s2 = OpBitwiseOr %uint %s1 %w2
%s3 = OpBitwiseOr %uint %s2 %w3
%s4 = OpBitwiseOr %uint %s3 %w4
%s5 = OpBitwiseOr %uint %s4 %w5
%s6 = OpBitwiseOr %uint %s5 %w6
%s7 = OpBitwiseOr %uint %s6 %w7
%p = OpAccessChain %to_uint %out %n0 %i
OpStore %p %s7
OpReturn
OpFunctionEnd
