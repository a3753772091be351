; SPIR-V
; Version: 1.3
; Lookups with Offset operands that are push constants and, alike, with ConstOffset (VK_KHR_maintenance8): in an array, a 3D
; and a 1D image, and with a comparison.
; green: each lookup gives the same as with the constant offset
; blue: each lookup but comparisons gives something else than without an offset
OpCapability Shader
OpCapability ImageGatherExtended
OpCapability Sampled1D
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 0
OpDecorate %color Location 0
OpDecorate %tarray DescriptorSet 0
OpDecorate %tarray Binding 0
OpDecorate %t3D DescriptorSet 0
OpDecorate %t3D Binding 1
OpDecorate %t1D DescriptorSet 0
OpDecorate %t1D Binding 2
OpDecorate %tshadow DescriptorSet 0
OpDecorate %tshadow Binding 3
OpDecorate %x SpecId 0
OpDecorate %y SpecId 1
OpDecorate %z SpecId 2
OpDecorate %push Block
OpMemberDecorate %push 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%bvec4 = OpTypeVector %bool 4
%ivec2 = OpTypeVector %int 2
%ivec3 = OpTypeVector %int 3
%ivec4 = OpTypeVector %int 4
%iarray = OpTypeImage %float 2D 0 1 0 1 Unknown
%sarray = OpTypeSampledImage %iarray
%to_array = OpTypePointer UniformConstant %sarray
%tarray = OpVariable %to_array UniformConstant
%i3D = OpTypeImage %float 3D 0 0 0 1 Unknown
%s3D = OpTypeSampledImage %i3D
%to_3D = OpTypePointer UniformConstant %s3D
%t3D = OpVariable %to_3D UniformConstant
%i1D = OpTypeImage %float 1D 0 0 0 1 Unknown
%s1D = OpTypeSampledImage %i1D
%to_1D = OpTypePointer UniformConstant %s1D
%t1D = OpVariable %to_1D UniformConstant
%ishadow = OpTypeImage %float 2D 1 0 0 1 Unknown
%sshadow = OpTypeSampledImage %ishadow
%to_shadow = OpTypePointer UniformConstant %sshadow
%tshadow = OpVariable %to_shadow UniformConstant
%in_vec2 = OpTypePointer Input %vec2
%out_vec4 = OpTypePointer Output %vec4
%uv = OpVariable %in_vec2 Input
%color = OpVariable %out_vec4 Output
%push = OpTypeStruct %ivec4
%to_push = OpTypePointer PushConstant %push
%to_ivec4 = OpTypePointer PushConstant %ivec4
%pushed = OpVariable %to_push PushConstant
%x = OpSpecConstant %int 0
%y = OpSpecConstant %int 0
%z = OpSpecConstant %int 0
%c2D = OpSpecConstantComposite %ivec2 %x %y
%c3D = OpSpecConstantComposite %ivec3 %x %y %z
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n8 = OpConstant %int 8
%zero = OpConstant %float 0.0
%one = OpConstant %float 1.0
%half = OpConstant %float 0.5
%lod = OpConstant %float 1.25
%bias = OpConstant %float 0.75
%near = OpConstant %float 0.02
%vnear = OpConstantComposite %vec2 %near %zero
%vnear_y = OpConstantComposite %vec2 %zero %near
%two = OpConstant %float 2.0
%eight = OpConstant %float 8.0
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpLoad %vec2 %uv
%at = OpAccessChain %to_ivec4 %pushed %n0
%d4 = OpLoad %ivec4 %at
%d1D = OpCompositeExtract %int %d4 0
%d2D = OpVectorShuffle %ivec2 %d4 %d4 0 1
%d3D = OpVectorShuffle %ivec3 %d4 %d4 0 1 2
%px = OpCompositeExtract %float %p 0
%py = OpCompositeExtract %float %p 1
%p3 = OpCompositeConstruct %vec3 %px %py %half
%parray = OpCompositeConstruct %vec3 %px %py %one
%x2 = OpFMul %float %px %two
%y2 = OpFMul %float %py %two
%pproj = OpCompositeConstruct %vec3 %x2 %y2 %two
%x8 = OpFMul %float %px %eight
%y8 = OpFMul %float %py %eight
%ix = OpConvertFToS %int %x8
%iy = OpConvertFToS %int %y8
%jx = OpIAdd %int %ix %n8
%jy = OpIAdd %int %iy %n8
%texel = OpCompositeConstruct %ivec2 %jx %jy
%varray = OpLoad %sarray %tarray
%v3D = OpLoad %s3D %t3D
%v1D = OpLoad %s1D %t1D
%vshadow = OpLoad %sshadow %tshadow
%r0d = OpImageSampleImplicitLod %vec4 %varray %parray Offset %d2D
%r0c = OpImageSampleImplicitLod %vec4 %varray %parray ConstOffset %c2D
%r0n = OpImageSampleImplicitLod %vec4 %varray %parray
%eq0 = OpFOrdEqual %bvec4 %r0d %r0c
%same0 = OpAll %bool %eq0
%ne0 = OpFOrdNotEqual %bvec4 %r0d %r0n
%moved0 = OpAny %bool %ne0
%r1d = OpImageSampleImplicitLod %vec4 %v3D %p3 Offset %d3D
%r1c = OpImageSampleImplicitLod %vec4 %v3D %p3 ConstOffset %c3D
%r1n = OpImageSampleImplicitLod %vec4 %v3D %p3
%eq1 = OpFOrdEqual %bvec4 %r1d %r1c
%same1 = OpAll %bool %eq1
%ne1 = OpFOrdNotEqual %bvec4 %r1d %r1n
%moved1 = OpAny %bool %ne1
%r2d = OpImageSampleImplicitLod %vec4 %v1D %px Offset %d1D
%r2c = OpImageSampleImplicitLod %vec4 %v1D %px ConstOffset %x
%r2n = OpImageSampleImplicitLod %vec4 %v1D %px
%eq2 = OpFOrdEqual %bvec4 %r2d %r2c
%same2 = OpAll %bool %eq2
%ne2 = OpFOrdNotEqual %bvec4 %r2d %r2n
%moved2 = OpAny %bool %ne2
%r3d = OpImageSampleDrefImplicitLod %float %vshadow %p %half Offset %d2D
%r3c = OpImageSampleDrefImplicitLod %float %vshadow %p %half ConstOffset %c2D
%same3 = OpFOrdEqual %bool %r3d %r3c
%r4d = OpImageSampleDrefExplicitLod %float %vshadow %p %half Lod|Offset %zero %d2D
%r4c = OpImageSampleDrefExplicitLod %float %vshadow %p %half Lod|ConstOffset %zero %c2D
%same4 = OpFOrdEqual %bool %r4d %r4c
%all0 = OpLogicalAnd %bool %same0 %same1
%all1 = OpLogicalAnd %bool %all0 %same2
%all2 = OpLogicalAnd %bool %all1 %same3
%all3 = OpLogicalAnd %bool %all2 %same4
%g = OpSelect %float %all3 %one %zero
%any0 = OpLogicalAnd %bool %moved0 %moved1
%any1 = OpLogicalAnd %bool %any0 %moved2
%b = OpSelect %float %any1 %one %zero
%rgba = OpCompositeConstruct %vec4 %zero %g %b %one
OpStore %color %rgba
OpReturn
OpFunctionEnd
