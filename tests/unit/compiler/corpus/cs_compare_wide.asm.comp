; SPIR-V
; Version: 1.6
; Every comparison of 64-bit integers, of scalars and of vectors of two, as bits of a word.
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %in %out
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %pairs ArrayStride 8
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpDecorate %words ArrayStride 4
OpDecorate %out_block Block
OpMemberDecorate %out_block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%bvec2 = OpTypeVector %bool 2
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%lvec2 = OpTypeVector %long 2
%pairs = OpTypeRuntimeArray %uvec2
%in_block = OpTypeStruct %pairs
%words = OpTypeRuntimeArray %uint
%out_block = OpTypeStruct %words
%to_in = OpTypePointer StorageBuffer %in_block
%to_out = OpTypePointer StorageBuffer %out_block
%to_pair = OpTypePointer StorageBuffer %uvec2
%to_word = OpTypePointer StorageBuffer %uint
%in_uvec3 = OpTypePointer Input %uvec3
%in = OpVariable %to_in StorageBuffer
%out = OpVariable %to_out StorageBuffer
%id = OpVariable %in_uvec3 Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%bit0 = OpConstant %uint 1
%bit1 = OpConstant %uint 2
%bit2 = OpConstant %uint 4
%bit3 = OpConstant %uint 8
%bit4 = OpConstant %uint 16
%bit5 = OpConstant %uint 32
%bit6 = OpConstant %uint 64
%bit7 = OpConstant %uint 128
%bit8 = OpConstant %uint 256
%bit9 = OpConstant %uint 512
%bit10 = OpConstant %uint 1024
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%at0 = OpIMul %uint %i %n2
%at1 = OpIAdd %uint %at0 %n1
%pa = OpAccessChain %to_pair %in %n0 %at0
%pb = OpAccessChain %to_pair %in %n0 %at1
%wa = OpLoad %uvec2 %pa
%wb = OpLoad %uvec2 %pb
%a = OpBitcast %ulong %wa
%b = OpBitcast %ulong %wb
%sa = OpBitcast %long %wa
%sb = OpBitcast %long %wb
%c0 = OpIEqual %bool %a %b
%s0 = OpSelect %uint %c0 %bit0 %n0
%m0 = OpBitwiseOr %uint %n0 %s0
%c1 = OpINotEqual %bool %a %b
%s1 = OpSelect %uint %c1 %bit1 %n0
%m1 = OpBitwiseOr %uint %m0 %s1
%c2 = OpUGreaterThan %bool %a %b
%s2 = OpSelect %uint %c2 %bit2 %n0
%m2 = OpBitwiseOr %uint %m1 %s2
%c3 = OpSGreaterThan %bool %sa %sb
%s3 = OpSelect %uint %c3 %bit3 %n0
%m3 = OpBitwiseOr %uint %m2 %s3
%c4 = OpUGreaterThanEqual %bool %a %b
%s4 = OpSelect %uint %c4 %bit4 %n0
%m4 = OpBitwiseOr %uint %m3 %s4
%c5 = OpSGreaterThanEqual %bool %sa %sb
%s5 = OpSelect %uint %c5 %bit5 %n0
%m5 = OpBitwiseOr %uint %m4 %s5
%c6 = OpULessThan %bool %a %b
%s6 = OpSelect %uint %c6 %bit6 %n0
%m6 = OpBitwiseOr %uint %m5 %s6
%c7 = OpSLessThan %bool %sa %sb
%s7 = OpSelect %uint %c7 %bit7 %n0
%m7 = OpBitwiseOr %uint %m6 %s7
%c8 = OpULessThanEqual %bool %a %b
%s8 = OpSelect %uint %c8 %bit8 %n0
%m8 = OpBitwiseOr %uint %m7 %s8
%c9 = OpSLessThanEqual %bool %sa %sb
%s9 = OpSelect %uint %c9 %bit9 %n0
%m9 = OpBitwiseOr %uint %m8 %s9
%va = OpCompositeConstruct %lvec2 %sa %sb
%vb = OpCompositeConstruct %lvec2 %sb %sa
%both = OpSLessThanEqual %bvec2 %va %vb
%all = OpAll %bool %both
%last = OpSelect %uint %all %bit10 %n0
%mask = OpBitwiseOr %uint %m9 %last
%po = OpAccessChain %to_word %out %n0 %i
OpStore %po %mask
OpReturn
OpFunctionEnd
