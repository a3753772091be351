; SPIR-V
; Version: 1.4
// Instructions on numbers of 8 and 16 bits that GLSL does not have: selectors, carries, wide products, reversed bits,
// bit casts between vectors, operations on specialisation constants.
// spec 0 -2
// spec 1 250
// out 1111.0 1.0 31.0 2.0
layout(location = 0) out vec4 c; (for the tests, which read declarations of GLSL)
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %o %shared
OpExecutionMode %main OriginUpperLeft
OpDecorate %o Location 0
OpDecorate %S SpecId 0
OpDecorate %U SpecId 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%int = OpTypeInt 32 1
%short = OpTypeInt 16 1
%ushort = OpTypeInt 16 0
%byte = OpTypeInt 8 1
%ubyte = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%vec4 = OpTypeVector %float 4
%half2 = OpTypeVector %half 2
%half4 = OpTypeVector %half 4
%ushort2 = OpTypeVector %ushort 2
%ubyte4 = OpTypeVector %ubyte 4
%ubyte2 = OpTypeVector %ubyte 2
%uint2 = OpTypeVector %uint 2
%ushorts = OpTypeStruct %ushort %ushort
%ubytes = OpTypeStruct %ubyte %ubyte
%bytes = OpTypeStruct %byte %byte
%shorts = OpTypeStruct %short %short
%out_vec4 = OpTypePointer Output %vec4
%o = OpVariable %out_vec4 Output
%private_short = OpTypePointer Private %short
%S = OpSpecConstant %short 1
%U = OpSpecConstant %ubyte 1
%s3 = OpConstant %short 3
%s1 = OpConstant %short 1
%sm6 = OpConstant %short -6
%b10 = OpConstant %ubyte 10
%b1 = OpConstant %ubyte 1
%b16 = OpConstant %ubyte 16
%i2 = OpConstant %int 2
%i4 = OpConstant %int 4
; -2 * 3 = -6; 250 + 10 = 4 in 8 bits, 250 / 10 = 25; -2 as an unsigned number of 16 bits is more than 3
%S3 = OpSpecConstantOp %short IMul %S %s3
%U10 = OpSpecConstantOp %ubyte IAdd %U %b10
%Ud = OpSpecConstantOp %ubyte UDiv %U %b10
%Ss = OpSpecConstantOp %short ShiftRightArithmetic %S %s1
%wide = OpSpecConstantOp %int SConvert %S3
%zeros = OpSpecConstantOp %uint UConvert %U10
%is6 = OpSpecConstantOp %bool IEqual %S3 %sm6
%less = OpSpecConstantOp %bool SLessThan %S %s3
%below = OpSpecConstantOp %bool ULessThan %S %s3
%count = OpSpecConstantOp %ubyte BitwiseAnd %U10 %b16
%array = OpTypeArray %float %U10
%array_pointer = OpTypePointer Function %array
%float_pointer = OpTypePointer Function %float
%shared = OpVariable %private_short Private %S
%f0 = OpConstant %float 0.0
%f1 = OpConstant %float 1.0
%f10 = OpConstant %float 10.0
%f100 = OpConstant %float 100.0
%f1000 = OpConstant %float 1000.0
%f2 = OpConstant %float 2.0
%f4 = OpConstant %float 4.0
%f8 = OpConstant %float 8.0
%f16 = OpConstant %float 16.0
%ushort_65535 = OpConstant %ushort 65535
%ushort_2 = OpConstant %ushort 2
%ushort_1 = OpConstant %ushort 1
%ushort_3 = OpConstant %ushort 3
%byte_m100 = OpConstant %byte -100
%byte_100 = OpConstant %byte 100
%byte_m40 = OpConstant %byte -40
%ubyte_1 = OpConstant %ubyte 1
%ubyte_128 = OpConstant %ubyte 128
%ubyte_60 = OpConstant %ubyte 60
%ubyte_0 = OpConstant %ubyte 0
%ubyte_64 = OpConstant %ubyte 64
%int_m6 = OpConstant %int -6
%uint_4 = OpConstant %uint 4
%half_1 = OpConstant %half 0x3c00
%half_2 = OpConstant %half 0x4000
%main = OpFunction %void None %fn
%entry = OpLabel
%list = OpVariable %array_pointer Function
; selectors: -2 of 16 bits, and 250 + 10 = 4 of 8 bits
%s = OpLoad %short %shared
%sum = OpIAdd %ubyte %U %b10
OpSelectionMerge %after None
OpSwitch %s %none -3 %none -2 %found
%found = OpLabel
OpBranch %after
%none = OpLabel
OpBranch %after
%after = OpLabel
%x1 = OpPhi %float %f1 %found %f0 %none
OpSelectionMerge %after_byte None
OpSwitch %sum %none_byte 4 %found_byte 250 %none_byte
%found_byte = OpLabel
OpBranch %after_byte
%none_byte = OpLabel
OpBranch %after_byte
%after_byte = OpLabel
%x2 = OpPhi %float %f10 %found_byte %f0 %none_byte
; 65535 + 2: 1 and a carry; 1 - 2: a borrow
%carried = OpIAddCarry %ushorts %ushort_65535 %ushort_2
%low = OpCompositeExtract %ushort %carried 0
%carry = OpCompositeExtract %ushort %carried 1
%low_is = OpIEqual %bool %low %ushort_1
%carry_is = OpIEqual %bool %carry %ushort_1
%borrowed = OpISubBorrow %ushorts %ushort_1 %ushort_2
%borrow = OpCompositeExtract %ushort %borrowed 1
%borrow_is = OpIEqual %bool %borrow %ushort_1
%both = OpLogicalAnd %bool %low_is %carry_is
%all = OpLogicalAnd %bool %both %borrow_is
%x3 = OpSelect %float %all %f100 %f0
; -100 * 100 = -10000 = 0xd8f0: high part -40; 65535 * 3: high part 2
%product = OpSMulExtended %bytes %byte_m100 %byte_100
%high = OpCompositeExtract %byte %product 1
%high_is = OpIEqual %bool %high %byte_m40
%uproduct = OpUMulExtended %ushorts %ushort_65535 %ushort_3
%uhigh = OpCompositeExtract %ushort %uproduct 1
%uhigh_is = OpIEqual %bool %uhigh %ushort_2
%reversed = OpBitReverse %ubyte %ubyte_1
%reversed_is = OpIEqual %bool %reversed %ubyte_128
%highs = OpLogicalAnd %bool %high_is %uhigh_is
%all_highs = OpLogicalAnd %bool %highs %reversed_is
%x4 = OpSelect %float %all_highs %f1000 %f0
%sum1 = OpFAdd %float %x1 %x2
%sum2 = OpFAdd %float %x3 %x4
%red = OpFAdd %float %sum1 %sum2
; bytes 0 60 0 64 are the halves 1.0 and 2.0
%bytes4 = OpCompositeConstruct %ubyte4 %ubyte_0 %ubyte_60 %ubyte_0 %ubyte_64
%halves = OpBitcast %half2 %bytes4
%word = OpBitcast %uint %bytes4
%again = OpBitcast %ushort2 %word
%halves_again = OpBitcast %half2 %again
%h0 = OpCompositeExtract %half %halves 0
%h1 = OpCompositeExtract %half %halves_again 1
%ratio = OpFDiv %half %h1 %h0
%four = OpCompositeConstruct %half4 %h0 %h1 %half_2 %half_1
%words = OpBitcast %uint2 %four
%four_again = OpBitcast %half4 %words
%h3 = OpCompositeExtract %half %four_again 3
%pair = OpCompositeConstruct %ubyte2 %ubyte_0 %ubyte_60
%one = OpBitcast %half %pair
%pair_again = OpBitcast %ubyte2 %one
%top = OpCompositeExtract %ubyte %pair_again 1
%top_is = OpIEqual %bool %top %ubyte_60
%ones = OpFMul %half %h3 %one
%greater = OpFOrdGreaterThan %bool %ratio %ones
%casts = OpLogicalAnd %bool %greater %top_is
%green = OpSelect %float %casts %f1 %f0
; what specialisation has changed
%wide_is = OpIEqual %bool %wide %int_m6
%zeros_is = OpIEqual %bool %zeros %uint_4
%b1_ = OpSelect %float %wide_is %f1 %f0
%b2_ = OpSelect %float %zeros_is %f2 %f0
%b3_ = OpSelect %float %is6 %f4 %f0
%b4_ = OpSelect %float %less %f8 %f0
%b5_ = OpSelect %float %below %f0 %f16
%bb1 = OpFAdd %float %b1_ %b2_
%bb2 = OpFAdd %float %b3_ %b4_
%bb3 = OpFAdd %float %bb1 %bb2
%blue = OpFAdd %float %bb3 %b5_
; an index of 16 bits into an array whose length is one of 8 bits
%place = OpAccessChain %float_pointer %list %s3
OpStore %place %f2
%alpha = OpLoad %float %place
%color = OpCompositeConstruct %vec4 %red %green %blue %alpha
OpStore %o %color
OpReturn
OpFunctionEnd
