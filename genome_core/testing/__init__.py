"""What users need to test their own plug-ins: fakes and contract suites."""
