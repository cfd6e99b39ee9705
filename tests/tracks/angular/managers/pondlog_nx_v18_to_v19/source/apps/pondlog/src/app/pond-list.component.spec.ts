import { TestBed } from '@angular/core/testing';

import { DepthPipe } from './depth.pipe';
import { PondListComponent } from './pond-list.component';

describe('PondListComponent', () => {
  it('lists the deep ponds alone when it is asked to', () => {
    TestBed.configureTestingModule({ declarations: [PondListComponent, DepthPipe] });
    const fixture = TestBed.createComponent(PondListComponent);
    fixture.detectChanges();
    const page: HTMLElement = fixture.nativeElement;
    expect(page.textContent).toContain('Alder pond: 95 cm');
    page.querySelector('button')?.click();
    fixture.detectChanges();
    expect(page.textContent).toContain('Quarry pond: 6.4 m');
    expect(page.textContent).not.toContain('Alder pond');
  });
});
