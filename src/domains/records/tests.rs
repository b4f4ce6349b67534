//! Every format, read back.

use super::*;

#[test]
fn formats_are_found_by_their_word() {
    for format in ExportFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
        assert_eq!(format.as_str().to_ascii_uppercase().parse(), Ok(format));
    }
    assert_eq!("xml".parse::<ExportFormat>(), Err(NoSuchFormat));
}
