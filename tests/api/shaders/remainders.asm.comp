; SPIR-V
; Version: 1.3
; Remainders of pairs of numbers of either sign (VK_KHR_maintenance8): OpSRem has the sign of the first operand, OpSMod of
; the second. %in has a pair (a, b) for each of 64 invocations, %out 22 words: rem and mod of 32 bits, of 64 bits (their low
; words; a times 2^32 + 1), of 16 bits and of 8 bits; then of a by 8, -8, 7, -7, 1 and 3, which are constants; the
; last two are constant: -7 by 3.
OpCapability Shader
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%long = OpTypeInt 64 1
%short = OpTypeInt 16 1
%byte = OpTypeInt 8 1
%uint = OpTypeInt 32 0
%words = OpTypeRuntimeArray %int
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_int = OpTypePointer StorageBuffer %int
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%in = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n2 = OpConstant %int 2
%n3 = OpConstant %int 3
%n7 = OpConstant %int 7
%n8 = OpConstant %int 8
%m7 = OpConstant %int -7
%m8 = OpConstant %int -8
%row = OpConstant %uint 22
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%l32 = OpConstant %uint 32
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k3 = OpConstant %uint 3
%k4 = OpConstant %uint 4
%k5 = OpConstant %uint 5
%k6 = OpConstant %uint 6
%k7 = OpConstant %uint 7
%k8 = OpConstant %uint 8
%k9 = OpConstant %uint 9
%k10 = OpConstant %uint 10
%k11 = OpConstant %uint 11
%k12 = OpConstant %uint 12
%k13 = OpConstant %uint 13
%k14 = OpConstant %uint 14
%k15 = OpConstant %uint 15
%k16 = OpConstant %uint 16
%k17 = OpConstant %uint 17
%k18 = OpConstant %uint 18
%k19 = OpConstant %uint 19
%k20 = OpConstant %uint 20
%k21 = OpConstant %uint 21
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%i2 = OpIMul %uint %i %u2
%i21 = OpIAdd %uint %i2 %u1
%pa = OpAccessChain %to_int %in %n0 %i2
%a = OpLoad %int %pa
%pb = OpAccessChain %to_int %in %n0 %i21
%b = OpLoad %int %pb
%base = OpIMul %uint %i %row
%la0 = OpSConvert %long %a
%la1 = OpShiftLeftLogical %long %la0 %l32
%la = OpIAdd %long %la1 %la0
%lb0 = OpSConvert %long %b
%sa = OpSConvert %short %a
%sb = OpSConvert %short %b
%ba = OpSConvert %byte %a
%bb = OpSConvert %byte %b
%r_SRem = OpSRem %int %a %b
%at0 = OpIAdd %uint %base %k0
%p0 = OpAccessChain %to_int %out %n0 %at0
OpStore %p0 %r_SRem
%r_SMod = OpSMod %int %a %b
%at1 = OpIAdd %uint %base %k1
%p1 = OpAccessChain %to_int %out %n0 %at1
OpStore %p1 %r_SMod
%l_SRem = OpSRem %long %la %lb0
%lw_SRem = OpSConvert %int %l_SRem
%at2 = OpIAdd %uint %base %k2
%p2 = OpAccessChain %to_int %out %n0 %at2
OpStore %p2 %lw_SRem
%l_SMod = OpSMod %long %la %lb0
%lw_SMod = OpSConvert %int %l_SMod
%at3 = OpIAdd %uint %base %k3
%p3 = OpAccessChain %to_int %out %n0 %at3
OpStore %p3 %lw_SMod
%s_SRem = OpSRem %short %sa %sb
%sw_SRem = OpSConvert %int %s_SRem
%at4 = OpIAdd %uint %base %k4
%p4 = OpAccessChain %to_int %out %n0 %at4
OpStore %p4 %sw_SRem
%s_SMod = OpSMod %short %sa %sb
%sw_SMod = OpSConvert %int %s_SMod
%at5 = OpIAdd %uint %base %k5
%p5 = OpAccessChain %to_int %out %n0 %at5
OpStore %p5 %sw_SMod
%b_SRem = OpSRem %byte %ba %bb
%bw_SRem = OpSConvert %int %b_SRem
%at6 = OpIAdd %uint %base %k6
%p6 = OpAccessChain %to_int %out %n0 %at6
OpStore %p6 %bw_SRem
%b_SMod = OpSMod %byte %ba %bb
%bw_SMod = OpSConvert %int %b_SMod
%at7 = OpIAdd %uint %base %k7
%p7 = OpAccessChain %to_int %out %n0 %at7
OpStore %p7 %bw_SMod
%c_n8_SRem = OpSRem %int %a %n8
%at8 = OpIAdd %uint %base %k8
%p8 = OpAccessChain %to_int %out %n0 %at8
OpStore %p8 %c_n8_SRem
%c_n8_SMod = OpSMod %int %a %n8
%at9 = OpIAdd %uint %base %k9
%p9 = OpAccessChain %to_int %out %n0 %at9
OpStore %p9 %c_n8_SMod
%c_m8_SRem = OpSRem %int %a %m8
%at10 = OpIAdd %uint %base %k10
%p10 = OpAccessChain %to_int %out %n0 %at10
OpStore %p10 %c_m8_SRem
%c_m8_SMod = OpSMod %int %a %m8
%at11 = OpIAdd %uint %base %k11
%p11 = OpAccessChain %to_int %out %n0 %at11
OpStore %p11 %c_m8_SMod
%c_n7_SRem = OpSRem %int %a %n7
%at12 = OpIAdd %uint %base %k12
%p12 = OpAccessChain %to_int %out %n0 %at12
OpStore %p12 %c_n7_SRem
%c_n7_SMod = OpSMod %int %a %n7
%at13 = OpIAdd %uint %base %k13
%p13 = OpAccessChain %to_int %out %n0 %at13
OpStore %p13 %c_n7_SMod
%c_m7_SRem = OpSRem %int %a %m7
%at14 = OpIAdd %uint %base %k14
%p14 = OpAccessChain %to_int %out %n0 %at14
OpStore %p14 %c_m7_SRem
%c_m7_SMod = OpSMod %int %a %m7
%at15 = OpIAdd %uint %base %k15
%p15 = OpAccessChain %to_int %out %n0 %at15
OpStore %p15 %c_m7_SMod
%c_n1_SRem = OpSRem %int %a %n1
%at16 = OpIAdd %uint %base %k16
%p16 = OpAccessChain %to_int %out %n0 %at16
OpStore %p16 %c_n1_SRem
%c_n1_SMod = OpSMod %int %a %n1
%at17 = OpIAdd %uint %base %k17
%p17 = OpAccessChain %to_int %out %n0 %at17
OpStore %p17 %c_n1_SMod
%c_n3_SRem = OpSRem %int %a %n3
%at18 = OpIAdd %uint %base %k18
%p18 = OpAccessChain %to_int %out %n0 %at18
OpStore %p18 %c_n3_SRem
%c_n3_SMod = OpSMod %int %a %n3
%at19 = OpIAdd %uint %base %k19
%p19 = OpAccessChain %to_int %out %n0 %at19
OpStore %p19 %c_n3_SMod
%f_SRem = OpSRem %int %m7 %n3
%at20 = OpIAdd %uint %base %k20
%p20 = OpAccessChain %to_int %out %n0 %at20
OpStore %p20 %f_SRem
%f_SMod = OpSMod %int %m7 %n3
%at21 = OpIAdd %uint %base %k21
%p21 = OpAccessChain %to_int %out %n0 %at21
OpStore %p21 %f_SMod
OpReturn
OpFunctionEnd
