; SPIR-V
; Version: 1.3
; What GLSL does not say of 64-bit integers: remainders with the dividend's sign, carries, products of 128 bits, shifts of
; and by numbers of other widths, conversions from and to 8 and 16 bits, casts, switches.
OpCapability Shader
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability StorageBuffer8BitAccess
OpExtension "SPV_KHR_8bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %operands ArrayStride 32
OpMemberDecorate %operand 0 Offset 0
OpMemberDecorate %operand 1 Offset 8
OpMemberDecorate %operand 2 Offset 16
OpMemberDecorate %operand 3 Offset 18
OpMemberDecorate %operand 4 Offset 20
OpMemberDecorate %operand 5 Offset 21
OpMemberDecorate %operand 6 Offset 22
OpMemberDecorate %operand 7 Offset 24
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpMemberDecorate %in_block 0 NonWritable
OpDecorate %row ArrayStride 8
OpDecorate %table ArrayStride 320
OpDecorate %out_block Block
OpMemberDecorate %out_block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%bvec2 = OpTypeVector %bool 2
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%f16 = OpTypeFloat 16
%float = OpTypeFloat 32
%u16vec4 = OpTypeVector %ushort 4
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%lvec2 = OpTypeVector %ulong 2
%pair = OpTypeStruct %ulong %ulong
%spair = OpTypeStruct %long %long
%operand = OpTypeStruct %ulong %ulong %ushort %ushort %uchar %uchar %f16 %ulong
%operands = OpTypeRuntimeArray %operand
%in_block = OpTypeStruct %operands
%nres = OpConstant %uint 40
%row = OpTypeArray %ulong %nres
%table = OpTypeRuntimeArray %row
%out_block = OpTypeStruct %table
%to_in = OpTypePointer StorageBuffer %in_block
%to_out = OpTypePointer StorageBuffer %out_block
%to_long = OpTypePointer StorageBuffer %ulong
%to_short = OpTypePointer StorageBuffer %ushort
%to_char = OpTypePointer StorageBuffer %uchar
%to_f16 = OpTypePointer StorageBuffer %f16
%in_uvec3 = OpTypePointer Input %uvec3
%in = OpVariable %to_in StorageBuffer
%out = OpVariable %to_out StorageBuffer
%id = OpVariable %in_uvec3 Input
%n7l = OpConstant %ulong 7
%n1l = OpConstant %ulong 1
%n40l = OpConstant %long 40
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
%n10 = OpConstant %uint 10
%n11 = OpConstant %uint 11
%n12 = OpConstant %uint 12
%n13 = OpConstant %uint 13
%n14 = OpConstant %uint 14
%n15 = OpConstant %uint 15
%n16 = OpConstant %uint 16
%n17 = OpConstant %uint 17
%n18 = OpConstant %uint 18
%n19 = OpConstant %uint 19
%n20 = OpConstant %uint 20
%n21 = OpConstant %uint 21
%n22 = OpConstant %uint 22
%n23 = OpConstant %uint 23
%n24 = OpConstant %uint 24
%n25 = OpConstant %uint 25
%n26 = OpConstant %uint 26
%n27 = OpConstant %uint 27
%n28 = OpConstant %uint 28
%n29 = OpConstant %uint 29
%n30 = OpConstant %uint 30
%n31 = OpConstant %uint 31
%n32 = OpConstant %uint 32
%n33 = OpConstant %uint 33
%n34 = OpConstant %uint 34
%n35 = OpConstant %uint 35
%n36 = OpConstant %uint 36
%n37 = OpConstant %uint 37
%n38 = OpConstant %uint 38
%n39 = OpConstant %uint 39
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %to_long %in %n0 %i %n0
%a = OpLoad %ulong %pa
%pb = OpAccessChain %to_long %in %n0 %i %n1
%b = OpLoad %ulong %pb
%ps = OpAccessChain %to_short %in %n0 %i %n2
%short = OpLoad %ushort %ps
%ph = OpAccessChain %to_short %in %n0 %i %n3
%half = OpLoad %ushort %ph
%pc = OpAccessChain %to_char %in %n0 %i %n4
%byte = OpLoad %uchar %pc
%pt = OpAccessChain %to_char %in %n0 %i %n5
%tiny = OpLoad %uchar %pt
%pf = OpAccessChain %to_f16 %in %n0 %i %n6
%hin = OpLoad %f16 %pf
%hin2 = OpCopyObject %f16 %hin
%pk = OpAccessChain %to_long %in %n0 %i %n7
%key = OpLoad %ulong %pk
%sa = OpBitcast %long %a
%sb = OpBitcast %long %b
%bn = OpSNegate %ulong %b
%a1 = OpBitwiseOr %ulong %a %n1l
%smallish = OpShiftRightArithmetic %long %sa %n40l
%r1 = OpSRem %ulong %sa %sb
%r2 = OpSMod %long %sa %b
%carry = OpIAddCarry %pair %a %b
%r3 = OpCompositeExtract %ulong %carry 0
%r4 = OpCompositeExtract %ulong %carry 1
%borrow = OpISubBorrow %pair %a %b
%r5 = OpCompositeExtract %ulong %borrow 0
%r6 = OpCompositeExtract %ulong %borrow 1
%wide = OpUMulExtended %pair %a %b
%r7 = OpCompositeExtract %ulong %wide 0
%r8 = OpCompositeExtract %ulong %wide 1
%swide = OpSMulExtended %spair %sa %sb
%r9 = OpCompositeExtract %long %swide 0
%r10 = OpCompositeExtract %long %swide 1
%r11 = OpShiftLeftLogical %ulong %a %byte
%r12 = OpShiftRightArithmetic %ulong %a %short
%count = OpBitwiseAnd %ulong %b %n7l
%low = OpUConvert %uint %a
%s12 = OpShiftLeftLogical %uint %low %count
%r13 = OpUConvert %ulong %s12
%s13 = OpShiftRightLogical %uint %low %count
%r14 = OpUConvert %ulong %s13
%s14 = OpShiftRightArithmetic %uint %low %count
%r15 = OpUConvert %ulong %s14
%s15 = OpShiftLeftLogical %ushort %half %count
%r16 = OpUConvert %ulong %s15
%s16 = OpShiftRightLogical %ushort %half %count
%r17 = OpUConvert %ulong %s16
%s17 = OpShiftRightArithmetic %ushort %half %count
%r18 = OpUConvert %ulong %s17
%s18 = OpShiftLeftLogical %uchar %tiny %count
%r19 = OpUConvert %ulong %s18
%s19 = OpShiftRightLogical %uchar %tiny %count
%r20 = OpUConvert %ulong %s19
%s20 = OpShiftRightArithmetic %uchar %tiny %count
%r21 = OpUConvert %ulong %s20
%r22 = OpUConvert %ulong %half
%r23 = OpSConvert %ulong %half
%r24 = OpUConvert %ulong %tiny
%r25 = OpSConvert %ulong %tiny
%b8 = OpUConvert %uchar %a
%r26 = OpUConvert %ulong %b8
%b16 = OpSConvert %ushort %a
%r27 = OpSConvert %ulong %b16
%four = OpBitcast %u16vec4 %a
%swap = OpVectorShuffle %u16vec4 %four %four 3 2 1 0
%r28 = OpBitcast %ulong %swap
%pairw = OpBitcast %uvec2 %a
%pairs2 = OpVectorShuffle %uvec2 %pairw %pairw 1 0
%r29 = OpBitcast %ulong %pairs2
%h = OpConvertUToF %f16 %a
%hf = OpFConvert %float %h
%hb = OpBitcast %uint %hf
%r30 = OpUConvert %ulong %hb
%sh = OpConvertSToF %f16 %smallish
%shf = OpFConvert %float %sh
%shb = OpBitcast %uint %shf
%r31 = OpUConvert %ulong %shb
%hu = OpConvertFToS %long %hin
%r32 = OpCopyObject %long %hu
%r33 = OpConvertFToU %ulong %hin2
%va = OpCompositeConstruct %lvec2 %a %b
%vb = OpCompositeConstruct %lvec2 %bn %a1
%vr = OpSRem %lvec2 %va %vb
%r34 = OpCompositeExtract %ulong %vr 0
%r35 = OpCompositeExtract %ulong %vr 1
%vless = OpULessThan %bvec2 %va %vb
%vs = OpSelect %lvec2 %vless %va %vb
%r36 = OpCompositeExtract %ulong %vs 0
%off = OpBitwiseAnd %ulong %a %n7l
%bf = OpBitFieldUExtract %uint %low %off %count
%r37 = OpUConvert %ulong %bf
%bs = OpBitFieldSExtract %uint %low %off %count
%r38 = OpUConvert %ulong %bs
%bi = OpBitFieldInsert %uint %hb %low %off %count
%r39 = OpUConvert %ulong %bi
OpSelectionMerge %merge None
OpSwitch %key %otherwise 4294967298 %case_a 8589934593 %case_b
%case_a = OpLabel
OpBranch %merge
%case_b = OpLabel
OpBranch %merge
%otherwise = OpLabel
OpBranch %merge
%merge = OpLabel
%r40 = OpPhi %ulong %a %case_a %b %case_b %key %otherwise
%p0 = OpAccessChain %to_long %out %n0 %i %n0
OpStore %p0 %r1
%u1 = OpBitcast %ulong %r2
%p1 = OpAccessChain %to_long %out %n0 %i %n1
OpStore %p1 %u1
%p2 = OpAccessChain %to_long %out %n0 %i %n2
OpStore %p2 %r3
%p3 = OpAccessChain %to_long %out %n0 %i %n3
OpStore %p3 %r4
%p4 = OpAccessChain %to_long %out %n0 %i %n4
OpStore %p4 %r5
%p5 = OpAccessChain %to_long %out %n0 %i %n5
OpStore %p5 %r6
%p6 = OpAccessChain %to_long %out %n0 %i %n6
OpStore %p6 %r7
%p7 = OpAccessChain %to_long %out %n0 %i %n7
OpStore %p7 %r8
%u8 = OpBitcast %ulong %r9
%p8 = OpAccessChain %to_long %out %n0 %i %n8
OpStore %p8 %u8
%u9 = OpBitcast %ulong %r10
%p9 = OpAccessChain %to_long %out %n0 %i %n9
OpStore %p9 %u9
%p10 = OpAccessChain %to_long %out %n0 %i %n10
OpStore %p10 %r11
%p11 = OpAccessChain %to_long %out %n0 %i %n11
OpStore %p11 %r12
%p12 = OpAccessChain %to_long %out %n0 %i %n12
OpStore %p12 %r13
%p13 = OpAccessChain %to_long %out %n0 %i %n13
OpStore %p13 %r14
%p14 = OpAccessChain %to_long %out %n0 %i %n14
OpStore %p14 %r15
%p15 = OpAccessChain %to_long %out %n0 %i %n15
OpStore %p15 %r16
%p16 = OpAccessChain %to_long %out %n0 %i %n16
OpStore %p16 %r17
%p17 = OpAccessChain %to_long %out %n0 %i %n17
OpStore %p17 %r18
%p18 = OpAccessChain %to_long %out %n0 %i %n18
OpStore %p18 %r19
%p19 = OpAccessChain %to_long %out %n0 %i %n19
OpStore %p19 %r20
%p20 = OpAccessChain %to_long %out %n0 %i %n20
OpStore %p20 %r21
%p21 = OpAccessChain %to_long %out %n0 %i %n21
OpStore %p21 %r22
%p22 = OpAccessChain %to_long %out %n0 %i %n22
OpStore %p22 %r23
%p23 = OpAccessChain %to_long %out %n0 %i %n23
OpStore %p23 %r24
%p24 = OpAccessChain %to_long %out %n0 %i %n24
OpStore %p24 %r25
%p25 = OpAccessChain %to_long %out %n0 %i %n25
OpStore %p25 %r26
%p26 = OpAccessChain %to_long %out %n0 %i %n26
OpStore %p26 %r27
%p27 = OpAccessChain %to_long %out %n0 %i %n27
OpStore %p27 %r28
%p28 = OpAccessChain %to_long %out %n0 %i %n28
OpStore %p28 %r29
%p29 = OpAccessChain %to_long %out %n0 %i %n29
OpStore %p29 %r30
%p30 = OpAccessChain %to_long %out %n0 %i %n30
OpStore %p30 %r31
%u31 = OpBitcast %ulong %r32
%p31 = OpAccessChain %to_long %out %n0 %i %n31
OpStore %p31 %u31
%p32 = OpAccessChain %to_long %out %n0 %i %n32
OpStore %p32 %r33
%p33 = OpAccessChain %to_long %out %n0 %i %n33
OpStore %p33 %r34
%p34 = OpAccessChain %to_long %out %n0 %i %n34
OpStore %p34 %r35
%p35 = OpAccessChain %to_long %out %n0 %i %n35
OpStore %p35 %r36
%p36 = OpAccessChain %to_long %out %n0 %i %n36
OpStore %p36 %r37
%p37 = OpAccessChain %to_long %out %n0 %i %n37
OpStore %p37 %r38
%p38 = OpAccessChain %to_long %out %n0 %i %n38
OpStore %p38 %r39
%p39 = OpAccessChain %to_long %out %n0 %i %n39
OpStore %p39 %r40
OpReturn
OpFunctionEnd
