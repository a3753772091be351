; SPIR-V
; Version: 1.4
; Integer dot products of packed bytes and of vectors of words. Every invocation reads two operands and an accumulator.
OpCapability Shader
OpCapability DotProduct
OpCapability DotProductInputAll
OpCapability DotProductInput4x8BitPacked
OpExtension "SPV_KHR_integer_dot_product"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %in %out
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%ivec2 = OpTypeVector %int 2
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uvec3 = OpTypePointer Input %uvec3
%in = OpVariable %to_block StorageBuffer
%out = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uvec3 Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n6 = OpConstant %uint 6
%n7 = OpConstant %uint 7
%n8 = OpConstant %uint 8
%n9 = OpConstant %uint 9
%n18 = OpConstant %uint 18
%n20 = OpConstant %uint 20
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%at0 = OpIMul %uint %i %n3
%at1 = OpIAdd %uint %at0 %n1
%at2 = OpIAdd %uint %at0 %n2
%pa = OpAccessChain %to_uint %in %n0 %at0
%pb = OpAccessChain %to_uint %in %n0 %at1
%pc = OpAccessChain %to_uint %in %n0 %at2
%a = OpLoad %uint %pa
%b = OpLoad %uint %pb
%c = OpLoad %uint %pc
%ic = OpBitcast %int %c
%ia = OpBitcast %int %a
%ib = OpBitcast %int %b
%ab = OpCompositeConstruct %uvec2 %a %b
%bc = OpCompositeConstruct %uvec2 %b %c
%sa = OpShiftRightArithmetic %int %ia %n20
%sb = OpShiftRightArithmetic %int %ib %n20
%sab = OpCompositeConstruct %ivec2 %sa %sb
%sba = OpCompositeConstruct %ivec2 %sb %sa
%ua = OpShiftRightLogical %uint %a %n18
%ub = OpShiftRightLogical %uint %b %n18
%uab = OpCompositeConstruct %uvec2 %ua %ub
%r0 = OpSDot %int %a %b PackedVectorFormat4x8Bit
%r1 = OpUDot %uint %a %b PackedVectorFormat4x8Bit
%r2 = OpSUDot %int %a %b PackedVectorFormat4x8Bit
%r3 = OpSDotAccSat %int %ia %ib %ic PackedVectorFormat4x8Bit
%r4 = OpUDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit
%r5 = OpSUDotAccSat %int %a %b %ic PackedVectorFormat4x8Bit
%r6 = OpUDot %uint %ab %bc
%r7 = OpSDotAccSat %int %sab %sba %ic
%r8 = OpUDotAccSat %uint %uab %uab %c
%u0 = OpBitcast %uint %r0
%u2 = OpBitcast %uint %r2
%u3 = OpBitcast %uint %r3
%u5 = OpBitcast %uint %r5
%u7 = OpBitcast %uint %r7
%to0 = OpIMul %uint %i %n9
%to1 = OpIAdd %uint %to0 %n1
%to2 = OpIAdd %uint %to0 %n2
%to3 = OpIAdd %uint %to0 %n3
%to4 = OpIAdd %uint %to0 %n4
%to5 = OpIAdd %uint %to0 %n5
%to6 = OpIAdd %uint %to0 %n6
%to7 = OpIAdd %uint %to0 %n7
%to8 = OpIAdd %uint %to0 %n8
%p0 = OpAccessChain %to_uint %out %n0 %to0
%p1 = OpAccessChain %to_uint %out %n0 %to1
%p2 = OpAccessChain %to_uint %out %n0 %to2
%p3 = OpAccessChain %to_uint %out %n0 %to3
%p4 = OpAccessChain %to_uint %out %n0 %to4
%p5 = OpAccessChain %to_uint %out %n0 %to5
%p6 = OpAccessChain %to_uint %out %n0 %to6
%p7 = OpAccessChain %to_uint %out %n0 %to7
%p8 = OpAccessChain %to_uint %out %n0 %to8
OpStore %p0 %u0
OpStore %p1 %r1
OpStore %p2 %u2
OpStore %p3 %u3
OpStore %p4 %r4
OpStore %p5 %u5
OpStore %p6 %r6
OpStore %p7 %u7
OpStore %p8 %r8
OpReturn
OpFunctionEnd
