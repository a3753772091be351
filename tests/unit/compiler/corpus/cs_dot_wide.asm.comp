; SPIR-V
; Version: 1.6
; Integer dot products whose results have 64 bits, of vectors of words. Every invocation reads three words.
OpCapability Shader
OpCapability Int64
OpCapability DotProduct
OpCapability DotProductInputAll
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %in %out
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pairs ArrayStride 8
OpDecorate %pair_block Block
OpMemberDecorate %pair_block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%ivec3 = OpTypeVector %int 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pairs = OpTypeRuntimeArray %uvec2
%pair_block = OpTypeStruct %pairs
%to_block = OpTypePointer StorageBuffer %block
%to_pair_block = OpTypePointer StorageBuffer %pair_block
%to_uint = OpTypePointer StorageBuffer %uint
%to_pair = OpTypePointer StorageBuffer %uvec2
%in_uvec3 = OpTypePointer Input %uvec3
%in = OpVariable %to_block StorageBuffer
%out = OpVariable %to_pair_block StorageBuffer
%id = OpVariable %in_uvec3 Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n6 = OpConstant %uint 6
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
%u = OpCompositeConstruct %uvec3 %a %b %c
%v = OpCompositeConstruct %uvec3 %b %c %a
%s = OpBitcast %ivec3 %u
%t = OpBitcast %ivec3 %v
%ca = OpCompositeConstruct %uvec2 %c %a
%more = OpBitcast %ulong %ca
%smore = OpBitcast %long %ca
%r0 = OpSDot %long %s %t
%r1 = OpUDot %ulong %u %v
%r2 = OpSUDot %long %s %v
%r3 = OpSDotAccSat %long %s %t %smore
%r4 = OpUDotAccSat %ulong %u %v %more
%r5 = OpSUDotAccSat %long %s %v %smore
%p0 = OpBitcast %uvec2 %r0
%p1 = OpBitcast %uvec2 %r1
%p2 = OpBitcast %uvec2 %r2
%p3 = OpBitcast %uvec2 %r3
%p4 = OpBitcast %uvec2 %r4
%p5 = OpBitcast %uvec2 %r5
%to0 = OpIMul %uint %i %n6
%to1 = OpIAdd %uint %to0 %n1
%to2 = OpIAdd %uint %to0 %n2
%to3 = OpIAdd %uint %to0 %n3
%to4 = OpIAdd %uint %to0 %n4
%to5 = OpIAdd %uint %to0 %n5
%q0 = OpAccessChain %to_pair %out %n0 %to0
OpStore %q0 %p0
%q1 = OpAccessChain %to_pair %out %n0 %to1
OpStore %q1 %p1
%q2 = OpAccessChain %to_pair %out %n0 %to2
OpStore %q2 %p2
%q3 = OpAccessChain %to_pair %out %n0 %to3
OpStore %q3 %p3
%q4 = OpAccessChain %to_pair %out %n0 %to4
OpStore %q4 %p4
%q5 = OpAccessChain %to_pair %out %n0 %to5
OpStore %q5 %p5
OpReturn
OpFunctionEnd
